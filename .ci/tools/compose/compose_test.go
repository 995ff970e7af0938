// Package compose checks that docker-compose.yml is what a user of Docker Compose expects; no Docker engine is needed.
package compose

import (
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func load(t *testing.T, env ...string) (*types.Project, error) {
	t.Helper()
	opts, err := cli.NewProjectOptions([]string{"../../../docker-compose.yml"}, cli.WithEnv(env), cli.WithWorkingDirectory("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	return opts.LoadProject(t.Context())
}

func TestComposeFile(t *testing.T) {
	t.Parallel()
	p, err := load(t, "MAGO_POSTGRES_PASSWORD=secret", "MAGO_KEY_SECRET=another secret")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"postgres", "mago-1", "mago-2", "balancer"} {
		if _, ok := p.Services[name]; !ok {
			t.Errorf("there is no service %s", name)
		}
	}
	for _, name := range []string{"mago-1", "mago-2"} {
		s := p.Services[name]
		if s.Build == nil {
			t.Errorf("%s is not built from here", name)
		}
		url := s.Environment["MAGO_DATABASE_URL"]
		if url == nil || *url != "postgres://mago:secret@postgres:5432/mago?sslmode=disable" {
			t.Errorf("%s keeps its data in %v", name, url)
		}
		if secret := s.Environment["MAGO_KEY_SECRET"]; secret == nil || *secret != "another secret" {
			t.Errorf("%s seals its keys with %v", name, secret)
		}
		if d := s.DependsOn["postgres"]; d.Condition != types.ServiceConditionHealthy {
			t.Errorf("%s starts when postgres is %q", name, d.Condition)
		}
		if len(s.Ports) != 0 {
			t.Errorf("%s is reached past the balancer", name)
		}
		if s.StopGracePeriod == nil || s.StopGracePeriod.String() == "10s" {
			t.Errorf("%s may be killed while it ends: it takes up to 10 s", name)
		}
	}
	subnet := p.Networks["default"].Ipam.Config[0].Subnet
	for _, name := range []string{"mago-1", "mago-2"} {
		if trusted := p.Services[name].Environment["MAGO_TRUSTED_PROXIES"]; trusted == nil || *trusted != subnet {
			t.Errorf("%s believes %v, and the balancer is in %s", name, trusted, subnet)
		}
	}
	if p.Services["postgres"].HealthCheck == nil || len(p.Services["postgres"].Volumes) != 1 {
		t.Error("postgres has no health check, or keeps its data nowhere")
	}
	ports := p.Services["balancer"].Ports
	if len(ports) != 1 || ports[0].HostIP != "127.0.0.1" || ports[0].Published != "8080" {
		t.Errorf("the balancer listens on %+v", ports)
	}
	conf := p.Configs["balancer"].Content
	for _, want := range []string{"mago-1:8080", "mago-2:8080", "$http_host", "proxy_buffering off", "X-Forwarded-For $remote_addr"} {
		if !strings.Contains(conf, want) {
			t.Errorf("the balancer's configuration lacks %q", want)
		}
	}
	if strings.Contains(conf, "non_idempotent") {
		t.Error("the balancer sends moves again by itself")
	}
}

func TestComposeNeedsSecrets(t *testing.T) {
	t.Parallel()
	for missing, given := range map[string]string{"MAGO_POSTGRES_PASSWORD": "MAGO_KEY_SECRET=another secret", "MAGO_KEY_SECRET": "MAGO_POSTGRES_PASSWORD=secret"} {
		if _, err := load(t, given); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}
