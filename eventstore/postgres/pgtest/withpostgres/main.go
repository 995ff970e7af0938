// Command withpostgres runs a command with a PostgreSQL for tests: `withpostgres go test ./...`. It starts one throw-away cluster for all
// packages, names it in MAGO_TEST_POSTGRES and stops it at the end, however the command ends. Where PostgreSQL is missing it installs it
// (Debian, as root) or fails. A cluster that MAGO_TEST_POSTGRES names already is used instead.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"mago/eventstore/postgres/pgtest"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		code = 1
	}
	os.Exit(code)
}

// run returns the command's exit code.
func run(args []string) (code int, err error) {
	if len(args) == 0 {
		return 1, errors.New("no command to run")
	}
	env := append(os.Environ(), "MAGO_TEST_NEED_POSTGRES=1")
	if os.Getenv("MAGO_TEST_POSTGRES") == "" {
		if err := install(); err != nil {
			return 1, err
		}
		cluster, failed := pgtest.Start(false)
		if failed != nil {
			return 1, failed
		}
		defer func() { err = errors.Join(err, cluster.Stop()) }()
		env = append(env, "MAGO_TEST_POSTGRES="+cluster.URL("postgres"), "MAGO_TEST_POSTGRES_THROWAWAY=1")
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // running what it is told is what it is for
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = env
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	err = cmd.Wait()
	signal.Stop(signals)
	close(signals)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// install installs PostgreSQL if it isn't there and can be had.
func install() error {
	_, missing := pgtest.Binaries()
	if missing == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Getuid() != 0 {
		return missing
	}
	for _, args := range [][]string{{"update", "-q"}, {"install", "-q", "-y", "--no-install-recommends", "postgresql"}} {
		cmd := exec.Command("apt-get", args...) //nolint:gosec // fixed arguments
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w (apt-get %s: %w)", missing, args[0], err)
		}
	}
	_, err := pgtest.Binaries()
	return err
}
