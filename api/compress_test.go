package api

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mago/api/apitest"
)

// asking is a client that accepts the encodings it says, and decodes nothing by itself.
func asking(c *apitest.Client) *apitest.Client {
	return &apitest.Client{Base: c.Base, HTTP: &http.Client{Transport: &http.Transport{DisableCompression: true}}, Tokens: c.Tokens}
}

func TestAnswersAreCompressedWhenAsked(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	c := asking(table.Players[0])
	t.Cleanup(c.HTTP.CloseIdleConnections)
	for _, path := range []string{table.Path(""), table.Path("/events"), "/v1/games", "/openapi.json", "/docs/problems"} {
		whole := c.Must(t, http.StatusOK, "GET", path, nil, nil)
		if whole.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed unasked", path)
		}
		for accept, want := range map[string]bool{
			"gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "deflate, gzip ; q=0.1": true, "*": true, "gzip;q=0, *": false, "*;q=0, gzip": true,
			"gzip;q=0": false, "gzip; q=0.000": false, "identity": false, "br": false, "xgzip": false, "*;q=0": false, "gzip;q=x": false,
		} {
			a := c.Must(t, http.StatusOK, "GET", path, nil, nil, header("Accept-Encoding", accept))
			if compressed := a.Header.Get("Content-Encoding") == "gzip"; compressed != want || !bytes.Equal(a.Body, whole.Body) {
				t.Errorf("%s, %q: compressed %v", path, accept, compressed)
			}
			if kept := a.Header.Get("Cache-Control") != "no-store"; kept != slices.Contains(a.Header.Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s, %q: Vary %q", path, accept, a.Header.Values("Vary"))
			}
			if tag := whole.Header.Get("ETag"); a.Header.Get("ETag") != tag {
				t.Errorf("%s, %q: ETag %q, want %q", path, accept, a.Header.Get("ETag"), tag)
			} else if tag != "" {
				same := c.Must(t, http.StatusNotModified, "GET", path, nil, nil, header("Accept-Encoding", accept), header("If-None-Match", tag))
				if same.Header.Get("Content-Encoding") != "" || len(same.Body) != 0 || !slices.Contains(same.Header.Values("Vary"), "Accept-Encoding") {
					t.Errorf("%s, %q: 304 with %v", path, accept, same.Header)
				}
			}
		}
		if head := c.Must(t, http.StatusOK, "HEAD", path, nil, nil, header("Accept-Encoding", "gzip")); len(head.Body) != 0 || head.Header.Get("ETag") != whole.Header.Get("ETag") {
			t.Errorf("HEAD %s: %v", path, head.Header)
		}
	}
	lines := c.Must(t, http.StatusOK, "GET", table.Path("/events"), nil, nil, header("Accept", "application/x-ndjson"))
	a := c.Must(t, http.StatusOK, "GET", table.Path("/events"), nil, nil, header("Accept", "application/x-ndjson"), header("Accept-Encoding", "gzip"))
	if a.Header.Get("Content-Encoding") != "gzip" || !bytes.Equal(a.Body, lines.Body) {
		t.Errorf("lines: %v", a.Header)
	}
	move := c.Do(t, "POST", table.Path("/bids"), map[string]any{"tricks": 21}, header("Accept-Encoding", "gzip"))
	if move.Status != http.StatusUnprocessableEntity || !strings.Contains(string(move.Body), `"code":"invalid"`) {
		t.Errorf("%d %s", move.Status, move.Body)
	}
}

// Of the same answer asked for again the length differs, so that it tells little of what is in it; nobody who reads it sees a difference.
func TestCompressedAnswersArePadded(t *testing.T) {
	t.Parallel()
	r := start(t)
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	whole := table.Players[0].Must(t, http.StatusOK, "GET", table.Path("/events"), nil, nil)
	lengths := map[int]bool{}
	for range 40 {
		req, err := http.NewRequestWithContext(t.Context(), "GET", r.url+table.Path("/events"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", "gzip")
		req.Header.Set("Authorization", "Bearer "+table.Players[0].Tokens.AccessToken)
		res, err := table.Players[0].HTTP.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		lengths[len(sent)] = true
		unzipped, err := gzip.NewReader(bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		if read, err := io.ReadAll(unzipped); err != nil || !bytes.Equal(read, whole.Body) {
			t.Fatalf("%v: %s", err, read)
		}
	}
	least, most := slices.Min(slices.Collect(maps.Keys(lengths))), slices.Max(slices.Collect(maps.Keys(lengths)))
	if len(lengths) < 8 || most-least > maxPadding+1 { // the comment's end is a byte
		t.Errorf("%d lengths from %d to %d", len(lengths), least, most)
	}
}

// What must not be compressed is not, however much is asked for it.
func TestWhatIsNeverCompressed(t *testing.T) {
	t.Parallel()
	r := start(t)
	c := asking(apitest.New(r.url))
	t.Cleanup(c.HTTP.CloseIdleConnections)
	gzipped := header("Accept-Encoding", "gzip")
	name := "u-" + uuid.NewString()[:13]
	body := map[string]string{"username": name, "password": apitest.Password, "display_name": strings.Repeat("eyJhbGciOiJFZERTQSIs", 2)}
	if a := c.Must(t, http.StatusCreated, "POST", "/v1/auth/register", body, &c.Tokens, gzipped); a.Header.Get("Content-Encoding") != "" || len(a.Body) < minGzip {
		t.Errorf("tokens: %d bytes, %v", len(a.Body), a.Header)
	}
	delete(body, "display_name")
	for _, login := range []string{"/v1/auth/login", "//v1/auth/login", "/v1/auth/%6cogin"} {
		if a := c.Do(t, "POST", login, body, gzipped); a.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", login, a.Header)
		}
	}
	for _, path := range []string{"/healthz", "/v1/me", "/v1/me/sync", "/v1/games"} { // too small
		if a := c.Must(t, http.StatusOK, "GET", path, nil, nil, gzipped); a.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
	table := apitest.NewTable(t, r.url, apitest.Rules{Players: 3})
	table.Players[0].Must(t, http.StatusOK, "GET", "/metrics", nil, nil, gzipped)
	req, err := http.NewRequestWithContext(t.Context(), "GET", r.url+table.Path("/events"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Accept": "text/event-stream", "Accept-Encoding": "gzip", "Authorization": "Bearer " + table.Players[0].Tokens.AccessToken} {
		req.Header.Set(name, value)
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 4)
	if _, err := io.ReadFull(res.Body, first); err != nil || res.Header.Get("Content-Encoding") != "" || string(first) != "id: " {
		t.Errorf("a live stream: %v %q %v", res.Header, first, err)
	}
}
