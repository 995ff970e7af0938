package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/labstack/echo/v4"
)

type echoContext = echo.Context

// safeBuffer is a log that many goroutines write to and a test reads.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Nothing that proves who somebody is gets into the log, at its most talkative, whatever part of a request it is put in.
func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	r := start(t, func(c *Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const canary = "canary-Password-7"
	body := `{"username":"uxia","password":"` + canary + `"}`
	made := r.call(t, "POST", "/v1/auth/register", "", body)
	access, refresh := made.text(t, "access_token"), made.text(t, "refresh_token")
	secrets := []string{canary, access, refresh}
	r.call(t, "POST", "/v1/auth/register", "", body)
	r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","password":"wrong `+canary+`"}`)
	r.call(t, "POST", "/v1/auth/login", "", `{"username":"`+canary+`","password":1}`)
	r.call(t, "POST", "/v1/auth/login", "", `{"username":"uxia","`+canary+`":"`+canary)
	r.call(t, "POST", "/v1/auth/login?password="+canary, "", body+canary)
	r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+refresh+`x"}`)
	next := r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+refresh+`"}`).text(t, "refresh_token")
	r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+next+`"}`)
	r.call(t, "POST", "/v1/auth/refresh", "", `{"refresh_token":"`+refresh+`"}`) // ends the session, and that is logged
	r.call(t, "GET", "/v1/me?access_token="+access, access, "")
	r.call(t, "GET", "/"+access, "", "")
	r.call(t, "GET", "/v1/users/"+access, access, "")
	r.call(t, "POST", "/v1/me/password", access, `{"current":"`+canary+`","new":"`+canary+canary+`"}`)
	r.call(t, "DELETE", "/v1/me", access, `{"password":"`+canary+`"}`)
	secrets = append(secrets, next)
	for _, s := range secrets {
		if s == "" || strings.Contains(log.String(), s) {
			t.Errorf("%q is in the log", s)
		}
	}
	if !strings.Contains(log.String(), "refresh token used again") {
		t.Error("the stolen token was not logged")
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	r := start(t, func(c *Config) { c.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	made := r.call(t, "POST", "/v1/auth/register", "", `{"username":"uxia","password":"a fine password"}`)
	log.mu.Lock()
	log.b.Reset()
	log.mu.Unlock()
	a := r.call(t, "GET", "/v1/me", made.text(t, "access_token"), "", "X-Request-Id", "mine", "X-Forwarded-For", "6.6.6.6", "User-Agent", "a\tb")
	var line map[string]any
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	for name, want := range map[string]any{
		"method": "GET", "route": "/v1/me", "status": 200.0, "request_id": "mine", "remote": "127.0.0.1",
		"bytes": float64(len(a.body)), "user_id": a.text(t, "id"), "level": "INFO",
	} {
		if line[name] != want {
			t.Errorf("%s: %v, want %v", name, line[name], want)
		}
	}
}
