// Package apitest is a client of the API for tests: it knows the contract and nothing of the server.
package apitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Client is one user's, or nobody's before Register.
type Client struct {
	Base   string // such as http://127.0.0.1:8080
	HTTP   *http.Client
	Tokens Tokens
	Gzip   bool // asks for gzip where a test says nothing else, as browsers do
}

// Tokens is the answer to register, login and refresh.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	User         User   `json:"user"`
}

// User is a public profile.
type User struct {
	ID          string `json:"id"`
	Username    string `json:"username"`
	DisplayName string `json:"display_name"`
}

// Password is what Register uses.
const Password = "a horse of four colours"

// made counts the clients.
var made atomic.Uint64

// New returns a client of nobody. Every eighth asks for gzip: compressing each answer of each test takes a third of the time of the whole under the race detector.
func New(base string) *Client {
	return &Client{Base: base, HTTP: &http.Client{Timeout: 30 * time.Second}, Gzip: made.Add(1)%8 == 0}
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Sent   []byte // the body as it was sent, where the test itself asked for gzip; otherwise as Body
}

// Code returns the code of a problem document, "" for any other answer.
func (a Answer) Code() string {
	var p struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(a.Body, &p)
	return p.Code
}

// Decode reads the body into v.
func (a Answer) Decode(tb testing.TB, v any) {
	tb.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		tb.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
}

// Header is one header of a request.
type Header struct{ Name, Value string }

// Send makes a request. body is nil for none, a []byte as it is, or anything that becomes JSON.
func (c *Client) Send(ctx context.Context, method, path string, body any, headers ...Header) (Answer, error) {
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		content = bytes.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			return Answer{}, err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, content)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Tokens.AccessToken != "" {
		req.Header.Set("Authorization", "Bearer "+c.Tokens.AccessToken)
	}
	for _, h := range headers {
		req.Header.Set(h.Name, h.Value)
	}
	if _, said := req.Header["Accept-Encoding"]; !said && !c.Gzip { // Go's client would ask for it
		req.Header.Set("Accept-Encoding", "identity")
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end
	data, err := io.ReadAll(res.Body)
	a := Answer{Status: res.StatusCode, Header: res.Header, Body: data, Sent: data}
	if err == nil && len(data) > 0 && res.Header.Get("Content-Encoding") == "gzip" {
		a.Body, err = unzip(data)
	}
	return a, err
}

func unzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Do is Send for a test that needs an answer. It must be as the published document describes it.
func (c *Client) Do(tb testing.TB, method, path string, body any, headers ...Header) Answer {
	tb.Helper()
	a, err := c.Send(tb.Context(), method, path, body, headers...)
	if err != nil {
		tb.Fatalf("%s %s: %v", method, path, err)
	}
	CheckAnswer(tb, method, path, a)
	return a
}

// Must is Do for a test that needs a status, and decodes the answer into v unless that is nil.
func (c *Client) Must(tb testing.TB, status int, method, path string, body, v any, headers ...Header) Answer {
	tb.Helper()
	a := c.Do(tb, method, path, body, headers...)
	if a.Status != status {
		tb.Fatalf("%s %s %v: status %d, want %d: %s", method, path, body, a.Status, status, a.Body)
	}
	if v != nil {
		a.Decode(tb, v)
	}
	return a
}

// Refused is Do for a test that needs a problem with a status and a code.
func (c *Client) Refused(tb testing.TB, status int, code, method, path string, body any, headers ...Header) Answer {
	tb.Helper()
	a := c.Do(tb, method, path, body, headers...)
	if a.Status != status || a.Code() != code {
		tb.Fatalf("%s %s %v: %d %s, want %d %s", method, path, body, a.Status, a.Body, status, code)
	}
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		tb.Fatalf("%s %s: content type %q of a problem", method, path, got)
	}
	return a
}

// Register makes a user with a name of its own, and returns the client as theirs.
func Register(tb testing.TB, base string) *Client {
	tb.Helper()
	c := New(base)
	name := "u-" + uuid.NewString()[:13]
	c.Must(tb, http.StatusCreated, http.MethodPost, "/v1/auth/register", map[string]string{"username": name, "password": Password}, &c.Tokens)
	return c
}

// String names the client in failures.
func (c *Client) String() string { return fmt.Sprintf("client of %s", c.Tokens.User.Username) }
