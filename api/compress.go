package api

import (
	"compress/gzip"
	"crypto/rand"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

// minGzip is the smallest answer that is compressed, in bytes: of smaller ones it would save less than a packet's head.
const minGzip = 400

// compress compresses answers for who accepts gzip. Left alone are:
//   - /v1/auth, since an answer that holds tokens beside text that others may have chosen must not tell by its length how much they have in common (BREACH);
//   - live streams, whose events are small and must not wait for each other;
//   - numbers for Prometheus, which compresses them itself.
//
// Other answers too have secrets, invite codes and hands, beside labels and names that somebody else chose. Each is padded at random, so that its length tells little of
// them: who watches the traffic would have to make the player's client ask the same very many times.
//
// The ETag of a game stays as it is: it is compared with what a client has, never used to put parts together, and names the version in both forms.
func compress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		r, res := c.Request(), c.Response()
		if strings.HasPrefix(r.URL.Path, "/v1/auth/") || r.URL.Path == "/metrics" {
			return next(c)
		}
		w := &compressor{ResponseWriter: res.Writer, plain: !acceptsGzip(r.Header)}
		res.Writer = w
		defer func() { res.Writer = w.ResponseWriter }() // also for the answer to a panic
		err = next(c)
		w.finish()
		return err
	}
}

// acceptsGzip tells whether the Accept-Encoding header names gzip, or anything, and doesn't weigh it 0.
func acceptsGzip(h http.Header) bool {
	accepted := false
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && (name != "*" || accepted) {
			continue
		}
		weight, weighed := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		accepted = !weighed || err == nil && q > 0
		if name == "gzip" {
			return accepted
		}
	}
	return accepted
}

// gzips spend a little more time than they would by themselves: on the answers here that saves one byte in twenty.
var gzips = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestCompression)
	if err != nil {
		panic(err) // not of a level that there is
	}
	return w
}}

// maxPadding is how many bytes an answer is padded with at most, a power of two less one.
const maxPadding = 63

// padding returns some or no bytes, of a number that can't be foretold.
func padding() string {
	var n [1]byte
	_, _ = rand.Read(n[:]) // never fails
	return strings.Repeat("-", int(n[0]&maxPadding))
}

// compressor holds an answer back until it is known whether it is worth compressing. A gzip.Writer is large, so it is taken no sooner than that.
type compressor struct {
	http.ResponseWriter
	plain  bool // nothing is held back or compressed
	status int  // 0 before WriteHeader
	sent   bool // the status and headers are
	held   []byte
	gzip   *gzip.Writer
}

// WriteHeader holds the status back, unless it comes without a body.
func (w *compressor) WriteHeader(status int) {
	if status < http.StatusOK { // there may be more
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status = status
	h := w.Header()
	bare := status == http.StatusNoContent || status == http.StatusNotModified
	w.plain = w.plain || bare || h.Get(echo.HeaderContentEncoding) != "" || h.Get(echo.HeaderContentType) == mimeEventStream
	if w.plain {
		w.send()
	}
}

// Write holds the body back until there is enough of it.
func (w *compressor) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.gzip != nil:
		return w.gzip.Write(b)
	case w.plain:
		return w.ResponseWriter.Write(b)
	}
	w.held = append(w.held, b...)
	if len(w.held) < minGzip {
		return len(b), nil
	}
	return len(b), w.begin()
}

// begin begins to compress, with what was held back.
func (w *compressor) begin() error {
	h := w.Header()
	h.Set(echo.HeaderContentEncoding, "gzip")
	h.Del(echo.HeaderContentLength)
	h.Del("Accept-Ranges") // no parts are given anyway
	w.send()
	w.gzip = gzips.Get().(*gzip.Writer)
	w.gzip.Reset(w.ResponseWriter)
	w.gzip.Comment = padding() // in the head of the stream, where decoders pass over it
	_, err := w.gzip.Write(w.held)
	w.held = nil
	return err
}

// send sends status and headers. What may be kept by caches depends on what was accepted.
func (w *compressor) send() {
	if !w.sent {
		w.sent = true
		if h := w.Header(); h.Get(echo.HeaderCacheControl) != "no-store" {
			h.Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
		}
		w.ResponseWriter.WriteHeader(w.status)
	}
}

// Flush sends what there is.
func (w *compressor) Flush() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.plain && w.gzip == nil {
		_ = w.begin()
	}
	if w.gzip != nil {
		_ = w.gzip.Flush()
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController set deadlines.
func (w *compressor) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish sends the rest of an answer that has begun. After a panic it isn't called: an answer that breaks off must look like one.
func (w *compressor) finish() {
	switch {
	case w.gzip != nil:
		_ = w.gzip.Close()
		gzips.Put(w.gzip)
		w.gzip = nil
	case w.status != 0 && !w.plain:
		w.send()
		_, _ = w.ResponseWriter.Write(w.held)
	}
}
