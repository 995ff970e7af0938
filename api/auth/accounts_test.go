package auth_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"mago/api/auth"
)

func TestRegisterAndLogin(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	made, err := s.Register(t.Context(), "Uxia_7", password, "Uxía")
	if err != nil {
		t.Fatal(err)
	}
	if id := uuid.MustParse(made.User.ID); id.Version() != 7 {
		t.Errorf("id %s is no UUIDv7", id)
	}
	for _, name := range []string{"uxia_7", "UXIA_7"} {
		in, err := s.Login(t.Context(), name, password)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := auth.Profile{ID: made.User.ID, Username: "uxia_7", DisplayName: "Uxía"}
		if diff := cmp.Diff(want, in.User); diff != "" {
			t.Error(diff)
		}
		if identity(t, s, in.Access).SessionID == identity(t, s, made.Access).SessionID {
			t.Error("two logins share a session")
		}
	}
	_, err = s.Login(t.Context(), "uxia_7", password+"x")
	wantErr(t, "wrong password", err, auth.ErrBadCredentials)
	_, err = s.Login(t.Context(), "nobody", password)
	wantErr(t, "unknown user", err, auth.ErrBadCredentials)
}

func TestUsernameIsTakenOnce(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	var wg sync.WaitGroup
	made := make(chan string, 20)
	for i := range 20 {
		wg.Go(func() {
			name := []string{"iria", "IRIA"}[i%2]
			_, err := s.Register(context.Background(), name, password, "")
			if err == nil {
				made <- name
			} else if !errors.Is(err, auth.ErrUsernameTaken) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(made) != 1 {
		t.Errorf("%d accounts of one name", len(made))
	}
	_, err := s.Register(t.Context(), "Deleted", password, "")
	wantErr(t, "the name of erased accounts", err, auth.ErrUsernameTaken)
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	mine := register(t, s, "brais")
	other, err := s.Login(t.Context(), "brais", password)
	if err != nil {
		t.Fatal(err)
	}
	who := identity(t, s, mine.Access)
	identity(t, s, other.Access) // now it is remembered as alive
	wantErr(t, "wrong current password", s.ChangePassword(t.Context(), who, "not the password", "another password"), auth.ErrBadCredentials)
	if err := s.ChangePassword(t.Context(), who, password, "another password"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Authenticate(t.Context(), other.Access)
	wantErr(t, "other session", err, auth.ErrUnauthenticated)
	_, err = s.Refresh(t.Context(), other.Refresh)
	wantErr(t, "other session's refresh token", err, auth.ErrUnauthenticated)
	identity(t, s, mine.Access)
	if _, err := s.Refresh(t.Context(), mine.Refresh); err != nil {
		t.Errorf("own refresh token: %v", err)
	}
	_, err = s.Login(t.Context(), "brais", password)
	wantErr(t, "old password", err, auth.ErrBadCredentials)
	if _, err := s.Login(t.Context(), "brais", "another password"); err != nil {
		t.Errorf("new password: %v", err)
	}
}

// Logins with the old password that race a change must not leave a session behind.
func TestChangePasswordEndsRacingLogins(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	who := identity(t, s, register(t, s, "sabela").Access)
	var wg sync.WaitGroup
	opened := make(chan auth.Tokens, 20)
	for range 20 {
		wg.Go(func() {
			if in, err := s.Login(context.Background(), "sabela", password); err == nil {
				opened <- in
			}
		})
	}
	if err := s.ChangePassword(t.Context(), who, password, "another password"); err != nil {
		t.Error(err)
	}
	wg.Wait()
	close(opened)
	for in := range opened {
		_, err := s.Authenticate(t.Context(), in.Access)
		wantErr(t, "session opened with the old password", err, auth.ErrUnauthenticated)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	var left []string
	leaves := errors.New("the games are on fire")
	s := service(t, store, c, func(cfg *auth.Config) {
		cfg.Leave = func(_ context.Context, id string) error {
			left = append(left, id)
			return leaves
		}
	})
	mine := register(t, s, "noa")
	who := identity(t, s, mine.Access)
	wantErr(t, "wrong password", s.Delete(t.Context(), who, "not the password"), auth.ErrBadCredentials)
	if len(left) != 0 {
		t.Error("games were left for a wrong password")
	}
	wantErr(t, "failing hook", s.Delete(t.Context(), who, password), leaves)
	identity(t, s, mine.Access)
	leaves = nil
	if err := s.Delete(t.Context(), who, password); err != nil {
		t.Fatal(err)
	}
	once, twice := who.UserID, who.UserID // before the account is erased, and after it for what was joined meanwhile
	if diff := cmp.Diff([]string{who.UserID, once, twice}, left); diff != "" {
		t.Error(diff)
	}
	_, err := s.Authenticate(t.Context(), mine.Access)
	wantErr(t, "access token", err, auth.ErrUnauthenticated)
	_, err = s.Refresh(t.Context(), mine.Refresh)
	wantErr(t, "refresh token", err, auth.ErrUnauthenticated)
	_, err = s.Login(t.Context(), "noa", password)
	wantErr(t, "login", err, auth.ErrBadCredentials)
	_, err = s.Account(t.Context(), who.UserID)
	wantErr(t, "account", err, auth.ErrNotFound)
	wantErr(t, "again", s.Delete(t.Context(), who, password), auth.ErrUnauthenticated)

	got, err := s.Profile(t.Context(), who.UserID)
	if want := (auth.Profile{ID: who.UserID, Username: "deleted", DisplayName: "deleted player"}); err != nil || got != want {
		t.Errorf("got %v, %v", got, err)
	}
	var traces int
	err = store.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM users WHERE username IS NOT NULL OR display_name IS NOT NULL OR password_hash IS NOT NULL`).Scan(&traces)
	if err != nil || traces != 0 {
		t.Errorf("%d rows with personal data, %v", traces, err)
	}
	if again := register(t, s, "noa"); again.User.ID == who.UserID {
		t.Error("a freed name brought the old account back")
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	s, c := setup(t)
	a, b := register(t, s, "anxo"), register(t, s, "xiana")
	if _, err := s.Rename(t.Context(), b.User.ID, "Xiana 🌊"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Profiles(t.Context(), []string{a.User.ID, b.User.ID, a.User.ID, uuid.NewString()})
	want := map[string]auth.Profile{
		a.User.ID: {ID: a.User.ID, Username: "anxo", DisplayName: "anxo"},
		b.User.ID: {ID: b.User.ID, Username: "xiana", DisplayName: "Xiana 🌊"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if got, err := s.Profiles(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("nobody: %v, %v", got, err)
	}
	_, err = s.Profile(t.Context(), uuid.NewString())
	wantErr(t, "unknown", err, auth.ErrNotFound)
	me, err := s.Account(t.Context(), a.User.ID)
	if err != nil || me.CreatedAt != c.now().UnixMilli() {
		t.Errorf("account %v, %v", me, err)
	}
}

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	for p, ok := range map[string]bool{
		"short":                  false,
		"sevenñ7":                false,
		"ñandúes!":               true,
		strings.Repeat("ñ", 128): true,
		strings.Repeat("a", 129): false,
		"password":               false,
		"PassWord":               false,
		"12345678":               false,
		"qwertyuiop":             false,
		"correct horse battery":  true,
		"        ":               true, // no composition rules
	} {
		if err := auth.CheckPassword(p); (err == nil) != ok {
			t.Errorf("%q: %v", p, err)
		}
	}
	for name, ok := range map[string]bool{
		"abc": true, "ab": false, "A-b_9": true, strings.Repeat("a", 32): true, strings.Repeat("a", 33): false,
		"a b": false, "ñaña": false, "\u212aelvin": false, "a.b": false, "abc\n": false, "": false,
	} {
		if err := auth.CheckUsername(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Two keyboards compose the same character differently.
func TestPasswordsAreNormalised(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	if _, err := s.Register(t.Context(), "antia", "contrasinal ñ", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Login(t.Context(), "antia", "contrasinal n\u0303"); err != nil {
		t.Error(err)
	}
}

// The bound on simultaneous hashing makes nobody wait for ever.
func TestHashingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Register(ctx, "roi", password, ""); err == nil {
		t.Error("registered with a context that was over")
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	store, c := database(t), newClock()
	s := service(t, store, c)
	old, ended := register(t, s, "old"), register(t, s, "ended")
	if err := s.Logout(t.Context(), identity(t, s, ended.Access)); err != nil {
		t.Fatal(err)
	}
	c.pass(29 * 24 * time.Hour)
	kept, err := s.Login(t.Context(), "old", password)
	if err != nil {
		t.Fatal(err)
	}
	count := func() (sessions, tokens int) {
		t.Helper()
		err := store.Reader().QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM refresh_tokens)`).Scan(&sessions, &tokens)
		if err != nil {
			t.Fatal(err)
		}
		return sessions, tokens
	}
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, 2}, {25 * time.Hour, 1}} {
		c.pass(step.pass)
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sessions, tokens := count(); sessions != step.want || tokens != step.want {
			t.Errorf("%d sessions and %d tokens are left, want %d", sessions, tokens, step.want)
		}
	}
	_, err = s.Refresh(t.Context(), old.Refresh)
	wantErr(t, "expired", err, auth.ErrUnauthenticated)
	if _, err := s.Refresh(t.Context(), kept.Refresh); err != nil {
		t.Error(err)
	}
}
