package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL that listens on a socket in its own temporary folder. It dies with the process that started it.
type Cluster struct {
	dir, bin string
	settings []string
	watch    *exec.Cmd
	order    io.WriteCloser
}

// watchdog runs the server until it reads which signal ends it. Where it reads nothing, whoever started it is gone or done, and the
// folder goes too.
const watchdog = `"$@" </dev/null >>"$MAGO_DIR/log" 2>&1 & server=$!
read -r signal; kill -s "${signal:-QUIT}" $server; wait $server
[ -n "$signal" ] || rm -rf "$MAGO_DIR"`

// Start makes a cluster and starts it; durable says that commits are synced to the disk as they are in earnest. A setting is NAME=VALUE.
func Start(durable bool, settings ...string) (*Cluster, error) {
	bin, err := Binaries()
	if err != nil {
		return nil, err
	}
	dir, err := newDir()
	if err != nil {
		return nil, err
	}
	if !durable {
		settings = append([]string{"fsync=off", "full_page_writes=off"}, settings...)
	}
	c := &Cluster{dir: dir, bin: bin, settings: settings}
	if err := c.init(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.Start(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func newDir() (string, error) {
	temp := os.TempDir()
	if len(temp) > 60 {
		temp = "/tmp" // a socket's path has room for 107 bytes
	}
	return os.MkdirTemp(temp, "mago-pg-")
}

// own gives the folder to whom the server will run as.
func (c *Cluster) own() (*syscall.Credential, error) {
	who, err := credential()
	if err != nil || who == nil {
		return nil, err
	}
	return who, os.Chown(c.dir, int(who.Uid), int(who.Gid))
}

func (c *Cluster) init() error {
	who, err := c.own()
	if err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(c.bin, "initdb"), "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync") //nolint:gosec // the path is PostgreSQL's
	initdb.Dir = c.dir
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// credential is whom to run as: nobody else, unless this is root, as whom PostgreSQL refuses to run.
func credential() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL doesn't run as root, and there is neither a user postgres nor nobody")
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// Start starts a cluster that was stopped or has crashed, and returns when it answers.
func (c *Cluster) Start() error {
	who, err := credential()
	if err != nil {
		return err
	}
	args := []string{"-c", watchdog, "sh", filepath.Join(c.bin, "postgres"), "-D", c.data(), "-k", c.dir, "-c", "listen_addresses=", "-c", "max_connections=400"}
	for _, setting := range c.settings {
		args = append(args, "-c", setting)
	}
	c.watch = exec.Command("sh", args...) //nolint:gosec // settings are the tests' own
	c.watch.Dir = c.dir
	c.watch.Env = append(os.Environ(), "MAGO_DIR="+c.dir)
	c.watch.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	if c.order, err = c.watch.StdinPipe(); err != nil {
		return err
	}
	if err := c.watch.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return c.await(ctx)
}

// await returns when the server takes connections.
func (c *Cluster) await(ctx context.Context) error {
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
			return fmt.Errorf("PostgreSQL doesn't answer: %w: %s", err, log)
		}
	}
}

// Crash ends the server as a loss of power would (pg_ctl stop -m immediate), but for the disk's own memory.
func (c *Cluster) Crash() error { return c.end("QUIT\n") }

// Shutdown ends the server in an orderly way, breaking off what runs. Start starts it again.
func (c *Cluster) Shutdown() error { return c.end("INT\n") }

func (c *Cluster) end(signal string) error {
	_, err := io.WriteString(c.order, signal)
	_ = c.watch.Wait() // its status is the server's, which was told to die
	return err
}

// Stop ends the server for good and removes its data.
func (c *Cluster) Stop() error {
	_ = c.order.Close() // fails only after Crash or Shutdown, when Wait has closed it
	_ = c.watch.Wait()
	return os.RemoveAll(c.dir)
}

// Socket is the path of the server's socket.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// Bin returns the path of one of PostgreSQL's programs.
func (c *Cluster) Bin(program string) string { return filepath.Join(c.bin, program) }

// Dir is the folder of the server's socket and its log.
func (c *Cluster) Dir() string { return c.dir }

// URL is the address of a database in the cluster, as its superuser.
func (c *Cluster) URL(database string) string {
	return "postgres://postgres@/" + url.PathEscape(database) + "?host=" + url.QueryEscape(c.dir)
}
