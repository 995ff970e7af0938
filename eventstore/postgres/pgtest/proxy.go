package pgtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Fault is what a Proxy does to one request.
type Fault int

// The faults, by what the server makes of the request.
const (
	Pass     Fault = iota
	Lose           // the request is not sent on, and the connection cut: nothing happens
	Halve          // half of the request is sent on, and the connection cut: nothing happens
	Cut            // the request is sent on and the connection cut at once: it may happen or not
	CutReply       // the request is carried out, and the connection cut instead of the answer
)

// Proxy stands on a TCP port before a database and fails when it is told to.
type Proxy struct {
	URL string // of the database through the proxy

	listener net.Listener
	network  string
	address  string
	wg       sync.WaitGroup

	mu     sync.Mutex
	held   chan struct{} // not nil while nothing passes; closed at Release
	fault  Fault
	marker []byte
	conns  map[net.Conn]struct{}
	closed bool
}

// NewProxy puts a proxy before the database at the URL until the test ends.
func NewProxy(t testing.TB, database string) *Proxy {
	t.Helper()
	config, err := pgconn.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, conns: make(map[net.Conn]struct{})}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	p.URL = (&url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: "/" + config.Database,
		RawQuery: "sslmode=disable",
	}).String()
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.Release()
	p.CutAll()
	p.wg.Wait()
}

// Next does the fault to the next request that contains the marker.
func (p *Proxy) Next(fault Fault, marker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.marker = fault, []byte(marker)
}

// Due tells whether the fault that Next asked for has yet to happen.
func (p *Proxy) Due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault != Pass
}

// Hold lets nothing pass, in either direction, until Release.
func (p *Proxy) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held = make(chan struct{})
	}
}

// Release ends Hold.
func (p *Proxy) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held != nil {
		close(p.held)
		p.held = nil
	}
}

// CutAll cuts all connections there are.
func (p *Proxy) CutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.address)
		if err != nil {
			_ = client.Close()
			continue
		}
		l := &line{proxy: p, client: client, server: server}
		if !p.keep(client, server) {
			l.cut()
			return
		}
		p.wg.Go(l.requests)
		p.wg.Go(l.answers)
	}
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		p.conns[conn] = struct{}{}
	}
	return !p.closed
}

// wait waits while the proxy is held.
func (p *Proxy) wait() {
	p.mu.Lock()
	held := p.held
	p.mu.Unlock()
	if held != nil {
		<-held
	}
}

// take returns the fault that is due for a request.
func (p *Proxy) take(request []byte) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault == Pass || !bytes.Contains(request, p.marker) {
		return Pass
	}
	fault := p.fault
	p.fault = Pass
	return fault
}

// line is one connection through the proxy.
type line struct {
	proxy          *Proxy
	client, server net.Conn

	mu   sync.Mutex
	deaf bool // the answer to what was sent is to be waited for and not given
}

func (l *line) cut() {
	_ = l.client.Close()
	_ = l.server.Close()
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	delete(l.proxy.conns, l.client)
	delete(l.proxy.conns, l.server)
}

func (l *line) requests() {
	defer l.cut()
	buf := make([]byte, 1<<20) // a request of a test comes in one piece
	for {
		n, err := l.client.Read(buf)
		if err != nil {
			return
		}
		l.proxy.wait()
		fault := l.proxy.take(buf[:n])
		switch fault {
		case Lose:
			return
		case Halve:
			n /= 2
		case CutReply:
			l.mu.Lock()
			l.deaf = true
			l.mu.Unlock()
		case Pass, Cut:
		}
		if _, err := l.server.Write(buf[:n]); err != nil || fault == Halve || fault == Cut {
			return
		}
	}
}

func (l *line) answers() {
	defer l.cut()
	var message [1 << 16]byte
	for {
		n, err := l.server.Read(message[:])
		if err != nil {
			return
		}
		l.proxy.wait()
		l.mu.Lock()
		deaf := l.deaf
		l.mu.Unlock()
		if deaf {
			_ = readyForQuery(io.MultiReader(bytes.NewReader(message[:n]), l.server)) // then it is committed, or the server is gone
			return
		}
		if _, err := l.client.Write(message[:n]); err != nil {
			return
		}
	}
}

// readyForQuery reads the server's messages until it says that it waits for the next request.
func readyForQuery(r io.Reader) error {
	for {
		var head [5]byte // a type and the length of the rest, itself included
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		size := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if size < 0 {
			return fmt.Errorf("message %q of length %d", head[0], size+4)
		}
		if _, err := io.CopyN(io.Discard, r, size); err != nil || head[0] == 'Z' {
			return err
		}
	}
}
