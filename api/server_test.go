package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mago/api/apitest"
	"mago/api/auth"
	"mago/api/idempotency"
	"mago/eventstore"
	"mago/eventstore/testdb"
	"mago/projections"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a server of a test's own that listens on a port of its own.
type running struct {
	*Server
	url   string
	store testdb.Store
	http  *http.Client
	stop  func() // ends it and closes its database; comes by itself with the test's end
}

// start runs a server on a new database; change may alter what it is made of.
func start(tb testing.TB, change ...func(*Config)) *running {
	tb.Helper()
	return startOn(tb, testdb.New(tb), change...)
}

// startOn runs a server on the database at an address, which may have been used before.
func startOn(tb testing.TB, url string, change ...func(*Config)) *running {
	tb.Helper()
	store := testdb.Open(tb, url)
	closeStore := func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	}
	tb.Cleanup(closeStore)
	bell := new(eventstore.Bell)
	cfg := Config{
		Store: store, Games: projections.NewGames(store, eventstore.Options{Appended: bell.Ring}), Bell: bell, Lists: projections.NewLists(store.Reader(), store.Writer()),
		Keys:  idempotency.New(idempotency.Config{Reader: store.Reader(), Writer: store.Writer(), Wait: time.Minute}), // however slow the machine is
		Sync:  projections.NewSync(store, store.Reader(), store.Writer()),
		Ready: func(context.Context) error { return nil },
	}
	for _, f := range change {
		f(&cfg)
	}
	if cfg.Company == nil {
		cfg.Company = projections.NewCompany(store.Reader(), store.Writer(), cfg.Now)
	}
	if cfg.Premoves == nil {
		cfg.Premoves = &projections.Premoves{Lists: cfg.Lists, Games: cfg.Games}
	}
	if cfg.Vacations == nil {
		cfg.Vacations = &projections.Vacations{Lists: cfg.Lists, Games: cfg.Games, Days: 28, Now: cfg.Now}
	}
	if cfg.Auth == nil {
		var err error
		cfg.Auth, err = auth.New(tb.Context(), auth.Config{
			Reader: store.Reader(), Writer: store.Writer(), Logger: cfg.Logger, Hash: auth.HashParams{Memory: 8, Passes: 1, Threads: 1},
			Leave: func(ctx context.Context, userID string) error {
				return projections.LeaveGames(ctx, cfg.Lists, cfg.Games, userID)
			},
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	r := &running{Server: New(cfg), store: store}
	listening := httptest.NewServer(r)
	tb.Cleanup(listening.Close)
	r.url, r.http = listening.URL, listening.Client()
	r.stop = func() { listening.Close(); closeStore() }
	return r
}

// ownRoutes are routes that tests add, of which the document knows nothing.
var ownRoutes = []string{"/fails", "/panics", "/panics/late"}

// answer is what came back, with the body read.
type answer struct {
	*http.Response
	body []byte
}

// member returns a member of the JSON object in the body.
func (a answer) member(t *testing.T, name string) any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.body, &object); err != nil {
		t.Fatalf("%q is no JSON object: %v", a.body, err)
	}
	return object[name]
}

// text is member for strings.
func (a answer) text(t *testing.T, name string) string {
	t.Helper()
	s, _ := a.member(t, name).(string)
	return s
}

// call makes a request; body is sent as JSON unless it is empty, headers come as pairs.
func (r *running) call(t *testing.T, method, path, token, body string, headers ...string) answer {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(ownRoutes, path) {
		apitest.CheckAnswer(t, method, path, apitest.Answer{Status: resp.StatusCode, Header: resp.Header, Body: got})
	}
	return answer{resp, got}
}

// wantProblem checks that an answer is a whole problem document of the code.
func wantProblem(t *testing.T, a answer, code Code) {
	t.Helper()
	var p Problem
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		t.Errorf("%d %q is no problem: %v", a.StatusCode, a.body, err)
		return
	}
	k := kindOf(code)
	if p.Code != code || a.StatusCode != k.Status || p.Status != k.Status || p.Title != k.Title || p.Type != "/docs/problems#"+string(code) {
		t.Errorf("got %d %s, want %s", a.StatusCode, a.body, code)
	}
	if p.Instance != a.Request.URL.EscapedPath() {
		t.Errorf("instance %q, want %q", p.Instance, a.Request.URL.EscapedPath())
	}
	if (code == CodeInvalid) != (len(p.Errors) > 0) {
		t.Errorf("%s lists errors %v", code, p.Errors)
	}
	for name, want := range map[string]string{"Content-Type": mimeProblem, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := a.Header.Get("WWW-Authenticate"); (a.StatusCode == http.StatusUnauthorized) != (got == "Bearer") {
		t.Errorf("WWW-Authenticate: %q with %d", got, a.StatusCode)
	}
	later := a.StatusCode == http.StatusServiceUnavailable || a.StatusCode == http.StatusTooManyRequests
	if got := a.Header.Get("Retry-After"); later != (got != "") {
		t.Errorf("Retry-After: %q with %d", got, a.StatusCode)
	}
}

func TestProblemsOfTheRouter(t *testing.T) {
	t.Parallel()
	r := start(t)
	wantProblem(t, r.call(t, "GET", "/v1/nothing", "", ""), CodeNotFound)
	wantProblem(t, r.call(t, "GET", "/%00/%E2%80%AE?q=1", "", ""), CodeNotFound)
	wantProblem(t, r.call(t, "POST", "/v1/me/", "", ""), CodeNotFound)
	a := r.call(t, "PUT", "/v1/me", "", "")
	wantProblem(t, a, CodeMethodNotAllowed)
	for _, method := range []string{"GET", "HEAD", "PATCH", "DELETE"} {
		if !strings.Contains(a.Header.Get("Allow"), method) {
			t.Errorf("Allow: %q lacks %s", a.Header.Get("Allow"), method)
		}
	}
	wantProblem(t, r.call(t, "BREW", "/v1/auth/login", "", ""), CodeMethodNotAllowed)
	wantProblem(t, r.call(t, "POST", "/v1/auth/login", "", "{}", "Content-Type", "text/plain"), CodeUnsupportedMediaType)
	wantProblem(t, r.call(t, "POST", "/v1/auth/login", "", "{}", "Content-Encoding", "gzip"), CodeUnsupportedMediaType)
	wantProblem(t, r.call(t, "POST", "/v1/auth/login", "", strings.Repeat(" ", maxBody+1)), CodeBodyTooLarge)
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	t.Parallel()
	r := start(t)
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/v1/me": http.StatusUnauthorized, "/nothing": http.StatusNotFound} {
		if a := r.call(t, "HEAD", path, "", ""); a.StatusCode != want || len(a.body) > 0 {
			t.Errorf("%s: %d with %d bytes", path, a.StatusCode, len(a.body))
		}
	}
}

func TestErrorsBecomeProblems(t *testing.T) {
	t.Parallel()
	const secret = "the cause stays here"
	var failure error
	r := start(t)
	get(r.echo, "/fails", func(echoContext) error { return failure })
	for _, tt := range []struct {
		err  error
		code Code
	}{
		{errors.New(secret), CodeInternal},
		{errors.Join(errors.New(secret), eventstore.ErrUnavailable), CodeUnavailable},
		{errors.Join(errors.New(secret), context.DeadlineExceeded), CodeUnavailable},
		{errors.Join(errors.New(secret), auth.ErrBusy), CodeUnavailable},
		{errors.Join(errors.New(secret), auth.ErrUnauthenticated), CodeUnauthenticated},
		{&panicError{value: secret, stack: secret}, CodeInternal},
		{notFound().because(errors.New(secret)), CodeNotFound},
	} {
		failure = tt.err
		a := r.call(t, "GET", "/fails", "", "")
		wantProblem(t, a, tt.code)
		if bytes.Contains(a.body, []byte(secret)) {
			t.Errorf("the cause leaks: %s", a.body)
		}
	}
}

func TestPanicsAreProblems(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	r := start(t, func(c *Config) { c.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	get(r.echo, "/panics", func(echoContext) error { panic("a deep secret") })
	get(r.echo, "/panics/late", func(c echoContext) error {
		c.Response().WriteHeader(http.StatusOK)
		panic("too late for a problem")
	})
	a := r.call(t, "GET", "/panics", "", "")
	wantProblem(t, a, CodeInternal)
	if bytes.Contains(a.body, []byte("secret")) || bytes.Contains(a.body, []byte("goroutine")) {
		t.Errorf("the panic leaks: %s", a.body)
	}
	if a := r.call(t, "GET", "/panics/late", "", ""); a.StatusCode != http.StatusOK {
		t.Errorf("got %d", a.StatusCode)
	}
	for _, want := range []string{`"level":"ERROR"`, "a deep secret", "server_test.go", "too late for a problem", `"route":"/panics"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, log.String())
		}
	}
	if a := r.call(t, "GET", "/healthz", "", ""); a.StatusCode != http.StatusOK {
		t.Error("the server did not survive")
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	r := start(t)
	for sent, kept := range map[string]bool{
		"": false, "abc-1.2_3": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "a b": false, `a"b`: false, "ñ": false,
	} {
		got := r.call(t, "GET", "/healthz", "", "", "X-Request-Id", sent).Header.Get("X-Request-Id")
		if (got == sent) != kept || !saneID.MatchString(got) {
			t.Errorf("%q: answered %q", sent, got)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk gone")
	r := start(t, func(c *Config) { c.Ready = func(context.Context) error { return failure } })
	wantProblem(t, r.call(t, "GET", "/readyz", "", ""), CodeUnavailable)
	if a := r.call(t, "GET", "/healthz", "", ""); a.StatusCode != http.StatusOK {
		t.Errorf("healthz: %d", a.StatusCode)
	}
	failure = nil
	if a := r.call(t, "GET", "/readyz", "", ""); a.StatusCode != http.StatusOK {
		t.Errorf("readyz: %d", a.StatusCode)
	}
}

// What clients choose must not become names of time series.
func TestMetrics(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.call(t, "GET", "/v1/users/canary-id", "", "")
	r.call(t, "GET", "/canary-path?canary-query", "", "")
	r.call(t, "CANARY-METHOD", "/healthz", "", "")
	got := string(r.call(t, "GET", "/metrics", "", "").body)
	for _, want := range []string{`method="GET",route="/v1/users/:id",status="401"`, `method="GET",route="unmatched",status="404"`, `method="other",route="/healthz",status="405"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(strings.ToLower(got), "canary") {
		t.Error("something a client sent is in the metrics")
	}
}

func TestProblemsPageListsAllCodes(t *testing.T) {
	t.Parallel()
	a := start(t).call(t, "GET", "/docs/problems", "", "")
	for _, k := range kinds {
		if !bytes.Contains(a.body, []byte(`id="`+string(k.Code)+`"`)) {
			t.Errorf("%s is missing", k.Code)
		}
	}
}

// Serve finishes what runs, accepts nothing new, and returns nil.
func TestServeEndsGracefully(t *testing.T) {
	t.Parallel()
	r := start(t)
	entered, release := make(chan struct{}), make(chan struct{})
	get(r.echo, "/slow", func(c echoContext) error {
		close(entered)
		<-release
		return c.NoContent(http.StatusNoContent)
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served, answered := make(chan error, 1), make(chan int, 1)
	go func() { served <- r.Serve(ctx, l) }()
	go func() {
		resp, err := r.http.Get("http://" + l.Addr().String() + "/slow")
		if err != nil {
			answered <- 0
			return
		}
		_ = resp.Body.Close()
		answered <- resp.StatusCode
	}()
	<-entered
	stop()
	for { // until nothing listens any more
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(release)
	if got := <-answered; got != http.StatusNoContent {
		t.Errorf("the running request got %d", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
