package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"mago/migrations"
)

// shared is the cluster of the test process, started or found when it is first needed.
var shared struct {
	sync.Mutex
	tried    bool
	err      error
	admin    string   // URL of a superuser's database
	own      *Cluster // nil for one that was given
	template string   // a database with the tables
	// throwAway says that the whole cluster goes at the end.
	throwAway bool
}

// New returns the URL of a new database with its tables. It is dropped when the test ends, or with the whole cluster.
func New(t testing.TB) string {
	t.Helper()
	admin, template := ready(t)
	return create(t, admin, "TEMPLATE "+template+" STRATEGY FILE_COPY")
}

// Empty returns the URL of a new database without tables. It is dropped when the test ends, or with the whole cluster.
func Empty(t testing.TB) string {
	t.Helper()
	admin, _ := ready(t)
	return create(t, admin, "")
}

// Copy returns the URL of a new database that is as the one at a URL, to which nobody may be connected. It is dropped like those of New.
func Copy(t testing.TB, source string) string {
	t.Helper()
	admin, _ := ready(t)
	u, err := url.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return create(t, admin, "TEMPLATE "+strings.TrimPrefix(u.Path, "/")+" STRATEGY FILE_COPY")
}

func create(t testing.TB, admin, how string) string {
	t.Helper()
	name := "mago_" + strings.ToLower(rand.Text())
	if err := execute(t.Context(), admin, "CREATE DATABASE "+name+" "+how); err != nil {
		t.Fatal(err)
	}
	if shared.throwAway {
		return at(admin, name) // dropping it costs a checkpoint
	}
	t.Cleanup(func() {
		if err := execute(context.WithoutCancel(t.Context()), admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return at(admin, name)
}

// ready returns the cluster's superuser and the template, making what isn't there. Where there is no PostgreSQL it skips or fails the test.
func ready(t testing.TB) (admin, template string) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.tried {
		shared.tried = true
		shared.err = begin()
	}
	if shared.err != nil {
		if _, err := Binaries(); err != nil && os.Getenv("MAGO_TEST_POSTGRES") == "" {
			without(t, err)
		}
		t.Fatal(shared.err)
	}
	return shared.admin, shared.template
}

func begin() error {
	shared.admin = os.Getenv("MAGO_TEST_POSTGRES")
	shared.throwAway = shared.admin == "" || os.Getenv("MAGO_TEST_POSTGRES_THROWAWAY") != ""
	if shared.admin == "" {
		var err error
		if shared.own, err = Start(false); err != nil {
			return err
		}
		shared.admin = shared.own.URL("postgres")
	}
	ctx := context.Background()
	template := "mago_template_" + strings.ToLower(rand.Text())
	if err := execute(ctx, shared.admin, "CREATE DATABASE "+template); err != nil {
		return err
	}
	shared.template = template
	target, err := migrations.Postgres(at(shared.admin, template))
	if err != nil {
		return err
	}
	return migrations.Up(ctx, target)
}

// at is the address of another database of the same server.
func at(admin, database string) string {
	u, err := url.Parse(admin)
	if err != nil {
		panic(err) // a connection was made with it
	}
	u.Path = "/" + database
	return u.String()
}

func execute(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// M runs a package's tests and then stops what was started for them. It is what TestMain or goleak.VerifyTestMain takes.
type M struct{ *testing.M }

// Run runs the tests.
func (m M) Run() int {
	code := m.M.Run()
	if err := end(); err != nil {
		fmt.Fprintln(os.Stderr, "PostgreSQL was not cleared away:", err)
		return max(code, 1)
	}
	return code
}

func end() error {
	shared.Lock()
	defer shared.Unlock()
	switch {
	case shared.own != nil:
		return shared.own.Stop()
	case shared.template != "":
		return execute(context.Background(), shared.admin, "DROP DATABASE "+shared.template+" WITH (FORCE)")
	}
	return nil
}
