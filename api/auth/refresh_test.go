package auth_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"
	"testing"
	"time"

	"mago/api/auth"
)

func refresh(t *testing.T, s *auth.Service, token string) auth.Tokens {
	t.Helper()
	tokens, err := s.Refresh(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func TestRefreshRotates(t *testing.T) {
	t.Parallel()
	s, c := setup(t)
	first := register(t, s, "uxia")
	c.pass(20 * time.Minute)
	_, err := s.Authenticate(t.Context(), first.Access)
	wantErr(t, "expired access token", err, auth.ErrUnauthenticated)
	next := refresh(t, s, first.Refresh)
	if next.Refresh == first.Refresh || next.User != first.User || next.ExpiresIn != 900 {
		t.Errorf("got %+v after %+v", next, first)
	}
	identity(t, s, next.Access)
	for range 5 { // a session lives as long as it is used
		c.pass(29 * 24 * time.Hour)
		next = refresh(t, s, next.Refresh)
	}
	c.pass(31 * 24 * time.Hour)
	_, err = s.Refresh(t.Context(), next.Refresh)
	wantErr(t, "expired refresh token", err, auth.ErrUnauthenticated)
}

// The contract gives the successor: HMAC-SHA-256 with the presented token as key over the random bytes in its row.
func TestSuccessorIsAsPublished(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	s := service(t, store, c)
	first := register(t, s, "uxia")
	next := refresh(t, s, first.Refresh)
	key, err := base64.RawURLEncoding.DecodeString(first.Refresh)
	if err != nil || len(key) != 32 {
		t.Fatal(err, len(key))
	}
	hash := sha256.Sum256(key)
	var random []byte
	if err := store.Reader().QueryRowContext(t.Context(), `SELECT random FROM refresh_tokens WHERE hash = $1`, hash[:]).Scan(&random); err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(random)
	if want := base64.RawURLEncoding.EncodeToString(mac.Sum(nil)); next.Refresh != want {
		t.Errorf("got %s, want %s", next.Refresh, want)
	}
}

func TestRefreshAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wait       time.Duration
		spendChild bool
		want       error
	}{
		"at once":             {0, false, nil},
		"within grace":        {30 * time.Second, false, nil},
		"after grace":         {30*time.Second + time.Millisecond, false, auth.ErrRefreshReused},
		"successor was spent": {time.Second, true, auth.ErrRefreshReused},
		"much later":          {24 * time.Hour, true, auth.ErrRefreshReused},
		"expired":             {31 * 24 * time.Hour, false, auth.ErrUnauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := setup(t)
			first := register(t, s, "uxia")
			other, err := s.Login(t.Context(), "uxia", password)
			if err != nil {
				t.Fatal(err)
			}
			next := refresh(t, s, first.Refresh)
			newest := next
			if tt.spendChild {
				newest = refresh(t, s, next.Refresh)
			}
			identity(t, s, newest.Access) // now it is remembered as alive
			c.pass(tt.wait)
			again, err := s.Refresh(t.Context(), first.Refresh)
			wantErr(t, "again", err, tt.want)
			switch {
			case tt.want == nil:
				if again.Refresh != next.Refresh {
					t.Error("another successor")
				}
				identity(t, s, again.Access)
			case tt.want == auth.ErrRefreshReused: //nolint:errorlint // the table's own value
				_, err = s.Refresh(t.Context(), newest.Refresh)
				wantErr(t, "newest token of the family", err, auth.ErrUnauthenticated)
				_, err = s.Authenticate(t.Context(), newest.Access)
				wantErr(t, "access token of the family", err, auth.ErrUnauthenticated)
				_, err = s.Refresh(t.Context(), first.Refresh)
				wantErr(t, "once more", err, auth.ErrUnauthenticated)
				if _, err := s.Refresh(t.Context(), other.Refresh); err != nil {
					t.Errorf("another session: %v", err)
				}
			}
		})
	}
}

func TestRefreshRefuses(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	tokens := register(t, s, "uxia")
	for _, token := range []string{"", "x", tokens.Refresh + "A", tokens.Refresh[1:], tokens.Refresh + "=", " " + tokens.Refresh, tokens.Refresh + "\n", tokens.Access, base64.RawURLEncoding.EncodeToString(make([]byte, 32))} {
		_, err := s.Refresh(t.Context(), token)
		wantErr(t, token, err, auth.ErrUnauthenticated)
	}
	if err := s.Logout(t.Context(), identity(t, s, tokens.Access)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Refresh(t.Context(), tokens.Refresh)
	wantErr(t, "after logout", err, auth.ErrUnauthenticated)
}

// Fifty at once with one token, on two servers: one successor lives and everybody gets it.
func TestRefreshAtOnce(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	servers := []*auth.Service{service(t, store, c), service(t, store, c)}
	first := register(t, servers[0], "uxia")
	var wg sync.WaitGroup
	got := make(chan string, 50)
	for i := range cap(got) {
		wg.Go(func() {
			next, err := servers[i%2].Refresh(context.Background(), first.Refresh)
			if err != nil {
				t.Error(err)
			}
			got <- next.Refresh
		})
	}
	wg.Wait()
	close(got)
	next := <-got
	for other := range got {
		if other != next {
			t.Errorf("two successors: %s and %s", next, other)
		}
	}
	var rows int
	if err := store.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM refresh_tokens`).Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d tokens are stored, %v", rows, err)
	}
	refresh(t, servers[1], next)
}

// A lost answer is given again by a server that has started anew: nothing of it was only in memory.
func TestRefreshAgainAfterRestart(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	before := service(t, store, c)
	first := register(t, before, "uxia")
	next := refresh(t, before, first.Refresh)
	after := service(t, store, c)
	if again := refresh(t, after, first.Refresh); again.Refresh != next.Refresh {
		t.Error("another successor after the restart")
	}
	identity(t, after, next.Access)
}

// A copy of the sessions and their tokens buys nothing: what is stored is no token, and no token follows from it.
func TestStoredTokensAreOfNoUse(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	s := service(t, store, c)
	first := register(t, s, "uxia")
	living := refresh(t, s, first.Refresh).Refresh
	rows, err := store.Reader().QueryContext(t.Context(), `SELECT hash, random, parent FROM refresh_tokens`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var stored [][]byte
	for rows.Next() {
		var hash, random, parent []byte
		if err := rows.Scan(&hash, &random, &parent); err != nil {
			t.Fatal(err)
		}
		stored = append(stored, hash, random)
		if parent != nil {
			stored = append(stored, parent)
		}
	}
	if err := rows.Err(); err != nil || len(stored) != 5 {
		t.Fatal(len(stored), err)
	}
	guesses := slices.Clone(stored)
	for _, a := range stored {
		sum := sha256.Sum256(a)
		guesses = append(guesses, sum[:])
		for _, b := range stored {
			mac := hmac.New(sha256.New, a)
			mac.Write(b)
			guesses = append(guesses, mac.Sum(nil))
		}
	}
	for _, guess := range guesses {
		text := base64.RawURLEncoding.EncodeToString(guess)
		if text == living || text == first.Refresh {
			t.Fatal("a token is stored, or follows from what is")
		}
		_, err := s.Refresh(t.Context(), text)
		wantErr(t, "stored bytes as a token", err, auth.ErrUnauthenticated)
	}
	refresh(t, s, living) // and the guesses ended nothing
}
