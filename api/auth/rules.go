package auth

import (
	_ "embed"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// deletedUsername is shown for erased accounts and can't be registered.
const deletedUsername, deletedDisplayName = "deleted", "deleted player"

//go:embed common-passwords.txt
var commonList string

// common holds the passwords that are tried first by whoever guesses, in lower case.
var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonList) {
		set[strings.TrimSpace(line)] = true
	}
	return set
})

// CheckUsername says what is wrong with a username: 3 to 32 of a-z 0-9 _ -, capitals counting as small letters.
func CheckUsername(name string) error {
	if len(name) < 3 || len(name) > 32 {
		return errors.New("must have 3 to 32 characters")
	}
	for _, c := range []byte(fold(name)) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return errors.New("must be made of a-z, 0-9, _ and -")
		}
	}
	return nil
}

// CheckPassword says what is wrong with a new password: 8 to 128 characters, and none that everybody uses.
func CheckPassword(password string) error {
	password = normal(password)
	if n := utf8.RuneCountInString(password); n < 8 || n > 128 {
		return errors.New("must have 8 to 128 characters")
	}
	if common()[strings.ToLower(password)] {
		return errors.New("is one of the most common passwords; choose another")
	}
	return nil
}

// fold makes usernames that differ only in case equal. ASCII only: strings.ToLower would turn a Kelvin sign into k.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// normal makes passwords equal that look so but were composed differently by two keyboards.
func normal(password string) string { return norm.NFC.String(password) }
