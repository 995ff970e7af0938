package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"mago/api/apitest"
	"mago/eventstore/testdb"
)

// statuses makes logins that say to come from elsewhere each time, and counts how they are answered.
func statuses(t *testing.T, url string, n int) map[int]int {
	t.Helper()
	got := map[int]int{}
	for i := range n {
		a := apitest.New(url).Do(t, "POST", "/v1/auth/login", []byte(`{`), apitest.Header{Name: "X-Forwarded-For", Value: fmt.Sprintf("203.0.113.%d", i)})
		got[a.Status]++
	}
	return got
}

// The program's flags reach the server: limits hold unless told otherwise, only named proxies are believed, only named origins may call.
func TestAccessIsConfigured(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env     map[string]string
		refused int // of 120 logins
		origin  string
	}{
		"defaults": {nil, 80, ""},
		"off":      {map[string]string{"MAGO_LIMITS": "off"}, 0, ""},
		"proxy":    {map[string]string{"MAGO_TRUSTED_PROXIES": "10.0.0.0/8,127.0.0.1", "MAGO_CORS_ORIGINS": "https://a.example,https://b.example"}, 0, "https://b.example"},
		"others":   {map[string]string{"MAGO_TRUSTED_PROXIES": "10.0.0.0/8", "MAGO_CORS_ORIGINS": "*"}, 80, "*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"MAGO_ADDR": "127.0.0.1:0", "MAGO_DATABASE_URL": testdb.New(t)}
			for k, v := range tt.env {
				env[k] = v
			}
			s := serve(t, env)
			defer s.end(t)
			// A slow machine may give a token back meanwhile.
			got := statuses(t, s.url, 120)
			if n := got[http.StatusTooManyRequests]; n > tt.refused || n < tt.refused-20 || got[http.StatusBadRequest]+n != 120 {
				t.Errorf("%v, want %d refused", got, tt.refused)
			}
			a, err := apitest.New(s.url).Send(context.Background(), "GET", "/healthz", nil, apitest.Header{Name: "Origin", Value: "https://b.example"})
			if got := a.Header.Get("Access-Control-Allow-Origin"); err != nil || got != tt.origin {
				t.Errorf("allowed is %q, %v", got, err)
			}
		})
	}
}

func TestAccessIsRefusedWhereItIsWrong(t *testing.T) {
	t.Parallel()
	file := "sqlite:" + filepath.Join(t.TempDir(), "mago.db")
	for _, wrong := range []string{
		"--limits=maybe", "--trusted-proxies=everywhere", "--trusted-proxies=10.0.0.0/33", "--cors-origins=https://*.example", "--cors-origins=https://a.example/",
		"--cors-origins=a.example", "--cors-origins=https://A.example", "--cors-origins=https://a.example,null", "--cors-origins=https://user@a.example", "--cors-origins=file://x",
	} {
		flag, _, _ := strings.Cut(wrong, "=")
		err := run(t.Context(), []string{"serve", wrong, "--addr", "nowhere", "--database-url", file}, nothing, io.Discard, io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), flag) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
