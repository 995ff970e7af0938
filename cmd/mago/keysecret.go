package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"mago/api/auth"
)

// minKeySecret is how many characters a secret must have. Guessing is cheap for who has a copy of the database.
const minKeySecret = 16

// keySecret is --key-secret.
type keySecret string

// UnmarshalText is called by kong.
func (s *keySecret) UnmarshalText(text []byte) error {
	if utf8.RuneCount(text) < minKeySecret { // the text is not repeated
		return fmt.Errorf("must have at least %d characters; make one with: openssl rand -base64 32", minKeySecret)
	}
	*s = keySecret(text)
	return nil
}

// Sentences for people, for what the signing keys' secret is about.
var (
	errOtherSecret = errors.New("the signing key in the database can't be opened with this MAGO_KEY_SECRET: give it the one that sealed the key, the same to all servers; " +
		"if that is lost, end all servers, run DELETE FROM signing_keys on the database and start them again")
	errNoSecret = errors.New("the signing key in the database is sealed and there is no secret to open it: set MAGO_KEY_SECRET to the one that the other servers have")
)

// warnNoSecret is logged at the start of a server that stores signing keys as they are.
const warnNoSecret = "whoever gets a copy of the database can sign access tokens with the key in it: set MAGO_KEY_SECRET to a secret that is not in the database, the same for all servers"

// accounts returns the service over accounts with the secret that seals its signing keys: the one that is given, else the one in the key file, if the
// engine has one. A key file that was lost costs no more than everybody's access tokens; with a given secret, other servers may still use the key.
func (cmd *serveCommand) accounts(ctx context.Context, db *database, log *slog.Logger, cfg auth.Config) (*auth.Service, error) {
	cfg.KeySecret = string(cmd.KeySecret)
	refused := errOtherSecret
	if cfg.KeySecret == "" {
		refused = errNoSecret
		if db.keyFile != "" {
			secret, err := secretBeside(ctx, db.keyFile)
			if err != nil {
				return nil, err
			}
			cfg.KeySecret, cfg.ReplaceKeys = secret, true
		}
	}
	accounts, err := auth.New(ctx, cfg)
	if errors.Is(err, auth.ErrKeySecret) {
		if _, err := os.Stat(db.keyFile); err == nil { // the secret was given only now
			return nil, fmt.Errorf("%w; %s may hold the right one", refused, db.keyFile)
		}
		return nil, refused
	}
	if err == nil && cfg.KeySecret == "" {
		log.Warn(warnNoSecret)
	}
	return accounts, err
}

// secretBeside returns the secret in a key file, and makes the file with a new one, for its owner's eyes only, if there is none. Of several processes
// that do so at once one makes it and all get the same.
func secretBeside(ctx context.Context, path string) (string, error) {
	secret, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	lock := flock.New(strings.TrimSuffix(path, keyFile) + ".lock") // that of the migrations, which have run
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return "", fmt.Errorf("make the key file %s: %w", path, err)
	}
	defer func() { _ = lock.Unlock() }() // the system does it if this fails
	if secret, err := readSecret(path); !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	secret = base64.RawURLEncoding.EncodeToString(random)
	if err := writeWhole(path, secret+"\n"); err != nil {
		return "", fmt.Errorf("make the key file: %w", err)
	}
	return secret, nil
}

func readSecret(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the key file: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if utf8.RuneCountInString(secret) < minKeySecret {
		return "", fmt.Errorf("the key file %s holds no secret; put it back from where you keep it, or remove it and a new one is made", path)
	}
	return secret, nil
}

// writeWhole makes a file that is there with all it holds or not at all, whatever happens meanwhile.
func writeWhole(path, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
