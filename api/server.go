// Package api is the service over HTTP: routes in one place, one file a resource, one function that turns errors into
// problem documents. Handlers bind a request, make one call, and answer with one DTO.
package api

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"mago/api/auth"
	"mago/api/idempotency"
	"mago/domain/game"
	"mago/eventstore"
	"mago/projections"
)

// Config is what a Server is made of. All but Bell and what stands below Ready are needed.
type Config struct {
	Store   eventstore.Store
	Games   *projections.Games
	Lists   *projections.Lists
	Sync    *projections.Sync
	Bell    *eventstore.Bell // rung when a game has new events; without it live streams look each second
	Auth    *auth.Service
	Keys    *idempotency.Keys
	Ready   func(context.Context) error // nil while the database can be reached and its schema is current
	Logger  *slog.Logger                // nothing is logged without one
	Metrics *prometheus.Registry        // what GET /metrics shows; one of its own without it
	Now     func() time.Time            // what time it is for games; the wall clock without one
	Limits  *Limits                     // nothing is limited without them
	Proxies []netip.Prefix              // whose X-Forwarded-For is believed; nobody's without them
	Origins []string                    // from which pages may call, "*" for all; only from here without them
	// Outages returns the times in which nobody was serving, for clocks to be given back; without it there are none.
	Outages func(context.Context) ([]game.Outage, error)

	Vacations *projections.Vacations // needed
	Premoves  *projections.Premoves  // needed
	Company   *projections.Company   // needed
}

// Server answers the API's requests. It may be used by many goroutines at once.
type Server struct {
	Config
	closing chan struct{} // closed when the server begins to end
	once    sync.Once
	log     *slog.Logger
	echo    *echo.Echo
	metrics *metrics
	limiter *limiter // nil: no limits
}

// New returns a server that is ready to answer.
func New(cfg Config) *Server {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Outages == nil {
		cfg.Outages = func(context.Context) ([]game.Outage, error) { return nil, nil }
	}
	if cfg.Metrics == nil {
		cfg.Metrics = prometheus.NewRegistry()
	}
	if cfg.Bell == nil {
		cfg.Bell = new(eventstore.Bell)
	}
	s := &Server{Config: cfg, closing: make(chan struct{}), log: cfg.Logger, echo: echo.New(), metrics: newMetrics(cfg.Metrics), limiter: newLimiter(cfg.Limits)}
	s.echo.HTTPErrorHandler = s.answerError
	s.echo.JSONSerializer = serializer{}
	s.echo.IPExtractor = addresses(cfg.Proxies) // never believe a client's X-Forwarded-For
	s.echo.Use(identify, s.record, catch, protect)
	if len(cfg.Origins) > 0 {
		s.echo.Use(crossOrigin(cfg.Origins))
	}
	s.echo.Use(hasten, compress)
	s.routes()
	return s
}

// ServeHTTP makes the server an http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

const (
	// finish is how long running requests may go on after the end was asked for, and abandon how long they have to
	// notice that their context is over; both together stay below 10 s.
	finish  = 7 * time.Second
	abandon = 2 * time.Second
)

// Serve answers on the listener until ctx is done; then it stops accepting, closes live streams, lets running requests
// finish, ends those that don't, and returns nil within 10 s.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       8 * time.Second, // shorter than longest, or a slow body would look like a slow database
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.once.Do(func() { close(s.closing) })
	timer := time.AfterFunc(finish, cancel)
	defer timer.Stop()
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), finish+abandon)
	defer stop()
	if err := srv.Shutdown(end); err != nil {
		s.log.Warn("requests cut off at the end", "error", err)
		return srv.Close()
	}
	return nil
}
