package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"mago/api/apitest"
)

// serving runs the server as a program does, with its real time limits, until the test ends.
func (r *running) serving(t *testing.T) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// Many connections that send a byte a second, some in their headers and some in their body, neither keep others from being answered nor stay for long.
func TestSlowConnections(t *testing.T) {
	t.Parallel()
	slow, looks := 20, 20
	if soak() {
		slow, looks = 200, 500
	}
	r := start(t)
	address := r.serving(t)
	c := apitest.Register(t, "http://"+address)
	begun, cut := make(chan struct{}, slow), make(chan error, slow)
	var wg sync.WaitGroup
	for i := range slow {
		wg.Go(func() { cut <- trickle(address, i%2 == 0, begun) })
	}
	for range slow {
		<-begun
	}
	var worst time.Duration
	for range looks {
		asked := time.Now()
		c.Must(t, http.StatusOK, "GET", "/v1/games?mine=true", nil, nil)
		worst = max(worst, time.Since(asked))
	}
	t.Logf("%d slow connections, %d healthy requests, the slowest took %v", slow, looks, worst)
	if soak() && worst > time.Second {
		t.Errorf("a healthy request took %v", worst)
	}
	wg.Wait() // all of them come to an end
	close(cut)
	for err := range cut {
		if err != nil {
			t.Error(err)
		}
	}
}

// trickle sends a request a byte a second until the server has had enough, which it must within a minute.
func trickle(address string, header bool, begun chan<- struct{}) error {
	conn, err := new(net.Dialer).Dial("tcp", address)
	begun <- struct{}{}
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	request := "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
	if !header {
		request += "\r\n{"
	}
	if _, err := conn.Write([]byte(request)); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, conn)
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for range 60 {
		select {
		case <-ended:
			return nil
		case <-tick.C:
			_, _ = conn.Write([]byte(" "))
		}
	}
	return errors.New("a connection that sends a byte a second is still open after a minute")
}
