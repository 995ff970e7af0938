// Command mago is the server of the card game Mago and the tools around its database.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mago:", err)
		os.Exit(1)
	}
}

// commands are what mago does, one field and one file each.
type commands struct {
	Serve       serveCommand       `cmd:"" help:"Run the server."`
	Migrate     migrateCommand     `cmd:"" help:"The database's schema: status, up, restored, force."`
	Projections projectionsCommand `cmd:"" help:"Read models: rebuild."`
	Arena       arenaCommand       `cmd:"" help:"Let bots play against each other."`
}

// streams are where a command writes: what was asked for to out, everything else to log.
type streams struct {
	out, log io.Writer
}

// run is the whole program. It returns nil when it has done what was asked, a server that was told to end included;
// any error is one plain sentence.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case exited: // --help has been shown
			err = nil
		default:
			panic(v)
		}
	}()
	parser, err := kong.New(new(commands), kong.Name("mago"), kong.Description("The card game Wizard (Galician: Mago) as a server."),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { panic(exited{}) }),
		kong.Resolvers(environment(getenv)), kong.ValueFormatter(withVariable),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(streams{out: stdout, log: stderr}))
	if err != nil {
		return err
	}
	cmd, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w; see mago --help", err)
	}
	return cmd.Run()
}

// exited carries the end that kong wants after --help through its stack; its errors are returned.
type exited struct{}

// variable names the environment variable of a flag: --database-url is MAGO_DATABASE_URL.
func variable(flag string) string {
	return "MAGO_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment gives flags that aren't on the command line their value from the environment. An empty variable counts
// as none.
func environment(getenv func(string) string) kong.ResolverFunc {
	return func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value := getenv(variable(flag.Name)); value != "" && flag.Name != "help" {
			return value, nil
		}
		return nil, nil
	}
}

// withVariable is the help of a flag with its variable behind it.
func withVariable(v *kong.Value) string {
	if v.Flag == nil || v.Name == "help" {
		return kong.DefaultHelpValueFormatter(v)
	}
	return strings.TrimSpace(kong.DefaultHelpValueFormatter(v) + " ($" + variable(v.Name) + ")")
}

// plain cuts an error that was put together from several down to one line.
func plain(err error) error {
	if err == nil || !strings.Contains(err.Error(), "\n") {
		return err
	}
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return errors.New(strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": "))
}
