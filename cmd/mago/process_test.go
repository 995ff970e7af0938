package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mago/api/apitest"
	"mago/eventstore/testdb"
)

// build makes the real binary.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "mago")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// process is the binary at work.
type process struct {
	cmd  *exec.Cmd
	url  string
	log  *journal
	done chan error // what Wait said
}

// journal is what a process says, for reading at any time.
type journal struct {
	mu   sync.Mutex
	said bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.said.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.said.String()
}

// launch starts mago serve and waits until it says where it listens, or has ended.
func launch(t *testing.T, binary, addr, db string) (*process, error) {
	t.Helper()

	p := &process{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve", "--addr", addr, "--database-url", db, "--log-level", "warn", "--limits", "off")}
	p.log, p.done = new(journal), make(chan error, 1)
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() { p.done <- p.cmd.Wait() }()
	if err != nil {
		return p, errors.Join(<-p.done, err)
	}
	_, rest, _ := strings.Cut(line, "http://")
	host, _, _ := strings.Cut(rest, " ")
	p.url = "http://" + host
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // what has ended is left alone
		if t.Failed() {
			t.Logf("the server on %s said %s", host, p.log)
		}
	})
	return p, nil
}

func mustLaunch(t *testing.T, binary, addr, db string) *process {
	t.Helper()
	p, err := launch(t, binary, addr, db)
	if err != nil {
		t.Fatalf("serve: %v\n%s", err, p.log)
	}
	return p
}

// end sends SIGTERM and returns how the process ended.
func (p *process) end(t *testing.T) error {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return <-p.done
}

// The binary as a process: everything that a test within one process can't see.
func TestProcess(t *testing.T) {
	t.Parallel()
	binary := build(t)
	t.Run("crashes lose nothing", func(t *testing.T) { t.Parallel(); crashes(t, binary) })
	t.Run("bots through crashes", func(t *testing.T) { t.Parallel(); botsThroughCrashes(t, binary) })
	t.Run("retries through crashes", func(t *testing.T) { t.Parallel(); retries(t, binary) })
	t.Run("killed while turns run", func(t *testing.T) { t.Parallel(); killedInTime(t, binary) })
	t.Run("SIGTERM lets requests finish", func(t *testing.T) { t.Parallel(); terminates(t, binary) })
	t.Run("two at once on a fresh file", func(t *testing.T) { t.Parallel(); twoAtOnce(t, binary) })
	t.Run("refusals", func(t *testing.T) { t.Parallel(); refuses(t, binary) })
}

// terminates ends a server under load: it exits with 0, and what it has acknowledged is there when it comes again, on the same file.
func terminates(t *testing.T, binary string) {
	t.Helper()
	db := testdb.New(t)
	p := mustLaunch(t, binary, "127.0.0.1:0", db)
	c := apitest.Register(t, p.url)
	const clients = 8
	made := make([][]string, clients)
	busy := make(chan struct{}, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for {
				a, err := c.Send(t.Context(), http.MethodPost, "/v1/games", map[string]any{"rules": map[string]int{"players": 3}})
				if err != nil {
					return // the end has come
				}
				if a.Status != http.StatusCreated {
					t.Errorf("%d %s", a.Status, a.Body)
				}
				if made[i] = append(made[i], a.Header.Get("Location")); len(made[i]) == 3 {
					busy <- struct{}{}
				}
			}
		})
	}
	for range clients {
		<-busy
	}
	if err := p.end(t); err != nil {
		t.Errorf("ended with %v\n%s", err, p.log)
	}
	wg.Wait()
	p = mustLaunch(t, binary, "127.0.0.1:0", db)
	c.Base = p.url
	for _, paths := range made {
		for _, path := range paths {
			c.Must(t, http.StatusOK, http.MethodGet, path, nil, nil)
		}
	}
	if err := p.end(t); err != nil {
		t.Errorf("ended with %v\n%s", err, p.log)
	}
}

// twoAtOnce starts several processes on one file that is not there yet: all of them migrate nothing twice and know each other's users and games.
func twoAtOnce(t *testing.T, binary string) {
	t.Helper()
	db := "sqlite:" + filepath.Join(t.TempDir(), "mago.db")
	processes := make([]*process, 3)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			p, err := launch(t, binary, "127.0.0.1:0", db)
			if err != nil {
				t.Errorf("process %d: %v\n%s", i, err, p.log)
			}
			processes[i] = p
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	players := make([]*apitest.Client, len(processes))
	for i, p := range processes {
		players[i] = apitest.Register(t, p.url)
	}
	table := apitest.Seat(t, apitest.Rules{Players: 3, Length: "five"}, players)
	for seat, want := range players { // each through a process of their own
		if g := table.View(t, seat); g.Status != "playing" || g.You == nil || g.You.Seat != seat {
			t.Errorf("%v sees %+v", want, g)
		}
	}
	for _, c := range players {
		for _, p := range processes { // which all sign with one key
			there := *c
			there.Base = p.url
			there.Must(t, http.StatusOK, http.MethodGet, "/v1/me", nil, nil)
		}
	}
	for i, p := range processes {
		if err := p.end(t); err != nil {
			t.Errorf("process %d ended with %v\n%s", i, err, p.log)
		}
	}
}

// refuses calls the binary with what it can't do: one plain sentence and exit code 1.
func refuses(t *testing.T, binary string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "no.db")
	if err := os.WriteFile(file, bytes.Repeat([]byte("this is no database\n"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{},
		{"dance"},
		{"serve", "--nonsense"},
		{"serve", "x"},
		{"serve", "--addr"},
		{"serve", "--migrate=perhaps"},
		{"serve", "--log-level=loud"},
		{"serve", "--log-format=xml"},
		{"serve", "--database-url=mysql://u:canary@h/db"},
		{"serve", "--database-url=sqlite:" + t.TempDir()},
		{"serve", "--database-url=sqlite:" + file},
		{"serve", "--addr=127.0.0.1:99999", "--database-url=sqlite:" + file + "2"},
		{"projections", "rebuild", "--database-url=sqlite:" + file + "3"},
	} {
		var out, log bytes.Buffer
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &log, t.TempDir()
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%q ended with %v: %s", args, err, log.String())
		}
		said := strings.TrimSpace(log.String())
		if said == "" || strings.Contains(said, "\n") || strings.Contains(said, "canary") || strings.Contains(said, "goroutine") || !strings.HasPrefix(said, "mago: ") {
			t.Errorf("%q said %q", args, said)
		}
	}
}
