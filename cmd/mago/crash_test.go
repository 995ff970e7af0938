package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mago/eventstore/testdb"
)

// crashes plays games from many clients, kills the server at random moments, and looks for all that was acknowledged.
func crashes(t *testing.T, binary string) {
	t.Helper()
	db := testdb.New(t)
	p := mustLaunch(t, binary, "127.0.0.1:0", db)
	addr := strings.TrimPrefix(p.url, "http://")
	l := startLoad(t, 6, p.url)
	kills := soak(3, 20)
	for range kills {
		l.await(t, 5+rand.IntN(60))
		p.kill(t)
		p = mustLaunch(t, binary, addr, db)
	}
	l.finish(t)
	t.Logf("killed %d times", kills)
	if n := l.away.Load(); n > 0 {
		t.Errorf("%d answers of 503, and the database was never away", n)
	}
	if err := p.end(t); err != nil {
		t.Errorf("ended with %v\n%s", err, p.log)
	}
	inspect(t, db)
}

// kill ends the process without a warning.
func (p *process) kill(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Kill()
	if err := <-p.done; err == nil {
		t.Error("the server ended well instead of being killed")
	}
}
