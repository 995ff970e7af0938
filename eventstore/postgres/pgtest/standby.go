package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// Standby makes a copy of the cluster that follows it, and lets every commit wait until it is there too.
func (c *Cluster) Standby() (*Cluster, error) {
	dir, err := newDir()
	if err != nil {
		return nil, err
	}
	s := &Cluster{dir: dir, bin: c.bin, settings: c.settings}
	if err := s.follow(c); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	for _, statement := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`} {
		if err := execute(context.Background(), c.URL("postgres"), statement); err != nil {
			return nil, errors.Join(err, s.Stop())
		}
	}
	return s, nil
}

func (c *Cluster) follow(primary *Cluster) error {
	who, err := c.own()
	if err != nil {
		return err
	}
	backup := exec.Command(filepath.Join(c.bin, "pg_basebackup"), "-D", c.data(), "-h", primary.dir, "-U", "postgres", "-R", "-c", "fast", "--no-sync") //nolint:gosec // the path is PostgreSQL's
	backup.Dir = c.dir
	backup.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	if out, err := backup.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return nil
}

// Promote makes a standby take writes, and wait for no other standby.
func (c *Cluster) Promote() error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // what counts has been answered
	var done bool
	if err := conn.QueryRow(ctx, `SELECT pg_promote()`).Scan(&done); err != nil || !done {
		return fmt.Errorf("promote the standby: %v, %w", done, err)
	}
	_, err = conn.Exec(ctx, `ALTER SYSTEM RESET synchronous_standby_names`)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `SELECT pg_reload_conf()`)
	return err
}

// EitherURL is the address of a database that is in whichever of two clusters takes writes.
func (c *Cluster) EitherURL(other *Cluster, database string) string {
	return "postgres://postgres@/" + url.PathEscape(database) + "?host=" + url.QueryEscape(c.dir+","+other.dir)
}
