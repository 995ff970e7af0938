package auth_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mago/api/auth"
)

// One session too many ends the one that was unused for longest, at once and with its refresh token; others' sessions go on.
func TestSurplusSessionsEnd(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	s := service(t, store, c, func(cfg *auth.Config) { cfg.Sessions = 3 })
	other := register(t, s, "noa")
	sessions := []auth.Tokens{register(t, s, "uxia")}
	login := func() {
		t.Helper()
		c.pass(time.Second)
		next, err := s.Login(t.Context(), "uxia", password)
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, next)
	}
	alive := func(want ...int) {
		t.Helper()
		for i, tokens := range sessions {
			_, err := s.Authenticate(t.Context(), tokens.Access)
			var live bool
			for _, w := range want {
				live = live || w == i
			}
			if (err == nil) != live {
				t.Errorf("session %d: %v", i, err)
			}
		}
	}
	login()
	login()
	alive(0, 1, 2)
	c.pass(time.Second)
	sessions[0] = refresh(t, s, sessions[0].Refresh) // so that 1 is the one unused for longest
	login()
	alive(0, 2, 3)
	_, err := s.Refresh(t.Context(), sessions[1].Refresh)
	wantErr(t, "refresh of the ended session", err, auth.ErrUnauthenticated)
	login()
	alive(0, 3, 4)
	identity(t, s, other.Access)
	_, err = s.Login(t.Context(), "uxia", "not the password")
	wantErr(t, "wrong password", err, auth.ErrBadCredentials)
	alive(0, 3, 4)
}

func TestSessionsOpenedAtOnceAreCapped(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	limit := func(cfg *auth.Config) { cfg.Sessions = 3 }
	servers := []*auth.Service{service(t, store, c, limit), service(t, store, c, limit)}
	register(t, servers[0], "uxia")
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if _, err := servers[i%2].Login(context.Background(), "uxia", password); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var live int
	if err := store.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM sessions WHERE ended_at IS NULL`).Scan(&live); err != nil || live != 3 {
		t.Errorf("%d sessions live, %v", live, err)
	}
}
