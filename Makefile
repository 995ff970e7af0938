# A C compiler is needed only for the race detector; Go says by CGO_ENABLED whether it found one.
GO       ?= go
RACE     := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
FUZZTIME ?= 20s

# A clone that belongs to somebody else has no version control to stamp from.
export GOFLAGS := $(filter-out -buildvcs=%,$(GOFLAGS)) -buildvcs=false

# Runs a command with a PostgreSQL beside it, which it installs where it may.
WITHPOSTGRES := $(GO) run ./eventstore/postgres/pgtest/withpostgres

# What takes its database from eventstore/testdb: run on SQLite with everything else, then on PostgreSQL.
BOTH := ./api/... ./projections ./cmd/mago

GOLANGCI := 2.15.0
LINTER   := .bin/golangci-lint-$(GOLANGCI)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the binary, ./mago
	$(GO) build -trimpath -o mago ./cmd/mago

.PHONY: run
run: ## Serve on 127.0.0.1:8080 with the data in ./mago.db
	$(GO) run ./cmd/mago serve

.PHONY: test
test: race-note ## Run all tests, with small fixed counts, the race detector and a throw-away PostgreSQL
	$(WITHPOSTGRES) $(GO) test $(RACE) -timeout 15m ./...
	MAGO_TEST_ENGINE=postgres $(WITHPOSTGRES) $(GO) test $(RACE) -timeout 15m $(BOTH)
	$(GO) test -run StrongEnough ./domain/bot
	cd .ci/tools && $(GO) test ./...

.PHONY: test-short
test-short: ## Run the tests without the race detector, with -short; without PostgreSQL those that need it are skipped
	$(GO) test -short ./...

.PHONY: soak
soak: ## Run all tests with the large counts (up to an hour)
	MAGO_SOAK=1 $(WITHPOSTGRES) $(GO) test -count=1 -timeout 60m ./...
	MAGO_SOAK=1 MAGO_TEST_ENGINE=postgres $(WITHPOSTGRES) $(GO) test -count=1 -timeout 60m $(BOTH)

.PHONY: race
race: race-note ## Run all tests three times with the race detector, in shuffled order
	$(WITHPOSTGRES) $(GO) test $(RACE) -count=3 -shuffle=on -timeout 30m ./...

.PHONY: race-note
race-note:
	@$(if $(RACE),:,echo "No C compiler found: testing without the race detector.")

.PHONY: bench
bench: ## Run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: fuzz
fuzz: ## Fuzz everything that parses, FUZZTIME=20s each
	@grep -rlE --include='*_test.go' '^func Fuzz' --exclude-dir='.*' * | xargs -r -n1 dirname | sort -u | while read -r dir; do \
		for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c6-); do \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) ./$$dir || exit 1; \
		done; \
	done

.PHONY: lint
lint: $(LINTER) ## Check style, mistakes and which room imports which
	$(LINTER) run
	cd .ci/tools && ../../$(LINTER) run --config ../../.golangci.yml

.PHONY: lint-bites
lint-bites: $(LINTER) ## Show that every lint rule reports a breach planted for it
	.ci/lint-bites $(LINTER)

.PHONY: fmt
fmt: $(LINTER) ## Format the code
	$(LINTER) fmt
	cd .ci/tools && ../../$(LINTER) fmt --config ../../.golangci.yml

.PHONY: generate
generate: .bin/openapi ## Write openapi/openapi.json from the annotations in api
	.bin/openapi .

.PHONY: check-generated
check-generated: .bin/openapi ## Fail if openapi/openapi.json is not what `make generate` writes
	.bin/openapi -check .

# What the description of the API is for: others' tools must find nothing wrong with it, and make clients of it that work.
CLIENTS := .ci/clients
NPM     := $(CLIENTS)/node_modules/.package-lock.json

.PHONY: clients
clients: lint-openapi client-go client-typescript ## Check openapi.json: by Redocly, as a Go client, as a TypeScript client that plays

.PHONY: lint-openapi
lint-openapi: $(NPM) ## Check openapi.json by Redocly's rules
	cd $(CLIENTS) && REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true npx --no-install redocly lint ../../openapi/openapi.json

.PHONY: client-go
client-go: ## Generate and compile a client in Go
	cd $(CLIENTS)/go && $(GO) tool oapi-codegen -config config.yaml -o client.gen.go ../../../openapi/openapi.json
	cd $(CLIENTS)/go && $(GO) vet ./... && $(GO) test ./...

.PHONY: client-typescript
client-typescript: $(NPM) ## Generate a client in TypeScript and play with it, directly and through a validating proxy
	cd $(CLIENTS) && npx --no-install openapi-typescript ../../openapi/openapi.json -o typescript/schema.d.ts
	cd $(CLIENTS) && npx --no-install tsc
	$(GO) build -o .bin/mago ./cmd/mago
	node $(CLIENTS)/build/run.js .bin/mago openapi/openapi.json

$(NPM): $(CLIENTS)/package.json $(CLIENTS)/package-lock.json $(CLIENTS)/.npmrc
	$(CLIENTS)/need-node
	cd $(CLIENTS) && npm ci
	touch $@

.PHONY: check
check: ## Everything that must hold before a change goes in
	.ci/run

.PHONY: tools
tools: $(LINTER) .bin/openapi ## Build the tools into .bin (the linter takes minutes, once)

# The linter is built from its own module, as its authors ask: our versions of its dependencies would be untested.
# -p 2 keeps its large packages from filling the memory of a small machine.
$(LINTER):
	GOBIN=$(CURDIR)/.bin $(GO) install -p 2 -trimpath -ldflags '-s -w' github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(GOLANGCI)
	mv .bin/golangci-lint $@

.bin/openapi: $(wildcard .ci/tools/go.* .ci/tools/openapi/*.go)
	cd .ci/tools && $(GO) build -o ../../.bin/openapi ./openapi

.PHONY: clean
clean: ## Remove what was built here; the linter stays, it takes minutes
	rm -rf mago .bin/openapi .bin/mago $(CLIENTS)/build $(CLIENTS)/node_modules
