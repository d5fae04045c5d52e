# make help lists what there is.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# Modules with a workspace of their own; bench/peers and those of e2e/tools, which bring in other projects'
# libraries and servers, only concern make bench-peers, e2e and e2e-deploy.
APART := tools/agent/anthropic tools/agent/openai \
	adapters/adk adapters/anthropic adapters/eino adapters/genkit adapters/langchain adapters/mcpgo adapters/openai \
	adapters/openaiagents adapters/trpcagent workflow/temporal

# Those of them whose frameworks take minutes to compile for the race detector: make test does without it there,
# and without cgo, which compiles the C code of databases that nothing here uses.
HEAVY := adapters/adk adapters/genkit adapters/openaiagents adapters/trpcagent workflow/temporal

# The packages of the workspace in go.work, without the end-to-end suite.
PACKAGES := ./... ./exporters/... ./mcp/... ./store/redis/... ./tools/... ./cmd/toolscope/... ./examples/... ./tests/... ./bench/... ./internal/release/...

# Packages whose code runs in the goroutine of its caller, whose tests only read files, or, as those of the command's
# main package, are long and use packages that are tested with it: .ci/run leaves the race detector out there, make
# test does not.
UNRACED := /cmd/toolscope$$|/toolscope/(redact|bench|examples)(/|$$)|/toolscope/tools/(data|files|python|web)(/|$$)|/internal/(release|repocheck)$$|/tests/docs$$

# The race detector needs cgo, and so a C compiler: without one tests run without it.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

FUZZTIME ?= 30s
LOADTIME ?= 1m
SOAKTIME ?= 30m
SESSIONS ?= 1000
OUTAGE ?= 2m
BENCH ?= .
BENCHTIME ?= 100ms
PASSES ?= 6
AGENT_RUNS ?= 10

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build every module
	go build work
	@for m in $(APART); do (cd $$m && CGO_ENABLED=0 go build ./...) || exit 1; done
	go build -o bin/ ./cmd/toolscope

.PHONY: test
test: ## run the tests, shuffled, with the race detector where there is a C compiler
	go test $(RACE) -shuffle=on $(PACKAGES)
	@for m in $(filter-out $(HEAVY),$(APART)); do (cd $$m && go test $(RACE) -shuffle=on ./...) || exit 1; done
	@for m in $(HEAVY); do (cd $$m && CGO_ENABLED=0 go test -shuffle=on ./...) || exit 1; done

.PHONY: race
race: ## the part of test for packages with goroutines of their own, as .ci/run has it after go test
	go test $(RACE) -shuffle=on $$(go list $(PACKAGES) | grep -vE '$(UNRACED)')

.PHONY: test-apart
test-apart: ## the tests of the modules that go.work leaves out, without the race detector
	@for m in $(APART); do (cd $$m && CGO_ENABLED=0 go test -shuffle=on ./...) || exit 1; done

.PHONY: lint
lint: fmt vet staticcheck vuln ## gofmt, go vet, staticcheck (staticcheck.conf) and govulncheck

.PHONY: fmt
fmt: ## fail if gofmt would change a file
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }

.PHONY: vet
vet: ## go vet, in every module
	go vet work
	@for m in $(APART); do (cd $$m && CGO_ENABLED=0 go vet ./...) || exit 1; done

.PHONY: staticcheck
staticcheck: ## staticcheck, in the modules of go.work
	go run $(STATICCHECK) $(PACKAGES) ./e2e/...

.PHONY: staticcheck-apart
staticcheck-apart: ## staticcheck, in the other modules; it takes minutes, and make lint leaves it out
	@for m in $(APART); do (cd $$m && CGO_ENABLED=0 go run $(STATICCHECK) ./...) || exit 1; done

# govulncheck exits with 3 if it found something. Where it cannot be had, or its
# database cannot be reached, that is said and nothing fails.
.PHONY: vuln
vuln: ## known vulnerabilities, where govulncheck and its database can be reached
	@if ! GOBIN=$(CURDIR)/bin go install $(GOVULNCHECK) 2>/dev/null; then \
		echo "govulncheck: could not be installed, nothing checked"; \
	else \
		bin/govulncheck $(PACKAGES) ; code=$$?; \
		if [ $$code -eq 3 ]; then exit 1; fi; \
		if [ $$code -ne 0 ]; then echo "govulncheck: could not run, nothing checked"; fi; \
	fi

.PHONY: bench
bench: ## a call bare, by hand and observed, in PASSES (6) passes of BENCHTIME (100ms) each, against the goals
	cd bench && go run ./cmd/suite -passes $(PASSES) -benchtime $(BENCHTIME)

.PHONY: bench-full
bench-full: ## the same with all sizes, numbers of goroutines, tools, sessions and windows; plots into docs/performance
	cd bench && go run ./cmd/suite -full -passes $(PASSES) -benchtime $(BENCHTIME) -plots ../docs/performance

.PHONY: bench-peers
bench-peers: ## bench with other projects' libraries around the same call (downloads them)
	cd bench && go run ./cmd/suite -peers -passes $(PASSES) -benchtime $(BENCHTIME)

.PHONY: bench-agent
bench-agent: ## run a whole program bare and wrapped, interleaved, AGENT_RUNS (10) times each, next to Jaeger (builds it the first time)
	cd bench && go run ./cmd/suite -agent $(AGENT_RUNS)

.PHONY: bench-packages
bench-packages: ## the benchmarks of the packages with go test (BENCH=regexp)
	go test -run='^$$' -bench='$(BENCH)' -benchtime=$(BENCHTIME) -benchmem $(PACKAGES)

.PHONY: load
load: ## 10,000 calls a second for LOADTIME (1m) beside 20 readers of the statistics, bare and with the race detector
	TOOLSCOPE_LOAD=$(LOADTIME) go test ./stats -run='^TestLoad$$' -count=1 -v -timeout=30m
	@test -z "$(RACE)" || (set -x; TOOLSCOPE_LOAD=$(LOADTIME) go test $(RACE) ./stats -run='^TestLoad$$' -count=1 -v -timeout=30m)

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (30s)
	@for p in $$(go list $(PACKAGES)); do \
		dir=$$(go list -f '{{.Dir}}' $$p); \
		for f in $$(cat $$dir/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do \
			echo "$$p $$f"; \
			go test -run='^$$' -fuzz="^$$f\$$" -fuzztime=$(FUZZTIME) $$p || exit 1; \
		done; \
	done

.PHONY: fuzz-gate
fuzz-gate: GATETIME ?= 10m
fuzz-gate: ## the permission gate against the real bash, unprivileged, for GATETIME (10m)
	go test -run='^$$' -fuzz='^FuzzAgainstBash$$' -fuzzminimizetime=1x -fuzztime=$(GATETIME) ./middleware/permit/internal/bash

.PHONY: baseline
baseline: SEED ?= 1
baseline: ## false alarms and detection of the baseline policy on other made-up agents (SEED, AGENTS, CALLS)
	TOOLSCOPE_BASELINE="$(SEED) $(or $(AGENTS),100) $(or $(CALLS),8000)" \
		go test ./middleware/baseline -run FalseAlarms -v -count=1 | cat

.PHONY: redact-unseen
redact-unseen: HALF ?= 0
redact-unseen: ## the same on another author's texts: HALF=1 may be tuned on, HALF=0 only gives its totals
	TOOLSCOPE_REDACT_UNSEEN="$(HALF)" go test ./redact -run 'TestUnseen$$' -v -count=1 | cat

.PHONY: redact-fresh
redact-fresh: SET ?= held
redact-fresh: ## the same on the texts of more authors: SET=dev, held, final, six, seven, eight or nine, HALF=0 or 1 for every other template
	TOOLSCOPE_REDACT_FRESH="$(SET)" TOOLSCOPE_REDACT_HALF="$(HALF)" go test ./redact -run 'TestFresh$$' -v -count=1 | cat

.PHONY: redact-removals
redact-removals: N ?= 300
redact-removals: ## a sample of what is removed of made-up traffic and of files (CORPORA="name=folder:every …"), to judge by eye
	TOOLSCOPE_REDACT_REMOVALS="$(or $(SEED),1) $(N) $(CORPORA)" go test ./redact -run 'TestRemovals$$' -v -count=1 | cat

.PHONY: redact-hostile
redact-hostile: SIZES ?= 65536 1048576 16777216
redact-hostile: ## how many times the processor time of prose hostile texts take (SIZES; an hour for 16 MiB)
	TOOLSCOPE_REDACT_HOSTILE="$(SIZES)" go test ./redact -run 'TestHostileCost$$' -v -count=1 -timeout 2h | cat

.PHONY: redact-review
redact-review: SEED ?= 1
redact-review: ## what is found of made-up secrets and personal data by carrier and kind, and what harmless texts lose (SEED)
	TOOLSCOPE_REDACT_REVIEW="$(SEED) 2" go test ./redact -run 'TestReview$$' -v -count=1 | cat

.PHONY: e2e
e2e: ## the end-to-end suite against real servers (builds Jaeger the first time)
	cd e2e && TOOLSCOPE_E2E=1 go test -count=1 -timeout=25m ./...

.PHONY: screenshots
screenshots: ## pictures of the dashboard's views and of a report in bin/screenshots, taken in Chromium
	mkdir -p bin/screenshots
	cd e2e && TOOLSCOPE_E2E=1 TOOLSCOPE_SHOTS=$(CURDIR)/bin/screenshots go test -count=1 -timeout=15m -run='^(TestScreenshots|TestExportedPageInChromium)$$' .

# Not part of e2e: the builds take long the first time (docs/scaling.md). Without the discovery of clouds, which
# brings most of the code, Prometheus is built in a fraction of it.
.PHONY: e2e-deploy
e2e-deploy: ## the files of examples/deploy with the newest Prometheus, Collector and Jaeger that Go modules give; UPDATE=-update writes panels.md
	cd e2e/tools/prometheus && go build -trimpath -tags remove_all_sd,enable_dns_sd -o $(CURDIR)/bin/ github.com/prometheus/prometheus/cmd/prometheus
	cd e2e/tools/collector && go build -trimpath -o $(CURDIR)/bin/ .
	cd e2e/tools/jaeger && go build -trimpath -o $(CURDIR)/bin/ github.com/jaegertracing/jaeger/cmd/jaeger
	cd e2e/tools/manifests && go test -count=1 .
	cd e2e && TOOLSCOPE_E2E=1 TOOLSCOPE_BIN=$(CURDIR)/bin go test -count=1 -v -timeout=25m -run='Panels|Deployment|LookNow|CollectorFiles|Compose|ShortLived' . $(UPDATE)

.PHONY: proxy-conformance
proxy-conformance: ## the public conformance suites through the MCP proxy, in all ways
	cd e2e && TOOLSCOPE_CONFORMANCE=all TOOLSCOPE_E2E=1 go test . -run='ConformanceBehindTheProxy$$' -count=1 -v -timeout=30m

.PHONY: proxy-sessions
proxy-sessions: ## SESSIONS (1000) random sessions with cancellations through the MCP proxy under policies, over pipes and HTTP
	cd mcp && TOOLSCOPE_SESSIONS=$(SESSIONS) go test ./mcpproxy -run='^TestRandomSessions' -count=1 -v -timeout=30m
	cd e2e && TOOLSCOPE_SESSIONS=$(SESSIONS) TOOLSCOPE_E2E=1 go test . -run='^TestSessionsOfTypeScript$$' -count=1 -v -timeout=30m

.PHONY: workflows
workflows: WORKFLOWS ?= 10000
workflows: ## WORKFLOWS (10000) random workflow definitions against a model, with the race detector where there is a C compiler
	TOOLSCOPE_WORKFLOWS=$(WORKFLOWS) go test $(RACE) ./workflow -run='^TestRandomDefinitions$$' -count=1 -v -timeout=30m

# Not part of e2e: the server is compiled, which takes long the first time.
.PHONY: e2e-temporal
e2e-temporal: ## workers that are killed, approvals and histories, with a real Temporal server (compiles it: minutes the first time)
	cd e2e/temporal && go test -count=1 -v -timeout=30m $(if $(RECORD),-record=$(CURDIR)/workflow/temporal/testdata) .

.PHONY: soak
soak: ## 2,000 calls a second of all kinds for SOAKTIME (30m), to a collector that stalls: does anything grow, are calls and spans exact
	cd e2e && go test ./soak -run='^TestSoak$$' -count=1 -v -timeout=0 -for $(SOAKTIME)

.PHONY: drain
drain: BACKLOG ?= 1024
drain: ## a backlog of BACKLOG MiB (1024) on disk is sent: how fast, next to one request in flight, and with how much memory
	cd exporters && go test . -run='^TestDrain$$' -count=1 -v -timeout=0 -backlog $(BACKLOG)

.PHONY: queue
queue: ## faults of a destination: how many spans arrive through the spool, and through a Collector with a persistent queue
	cd e2e/tools/collector && go build -trimpath -o $(CURDIR)/bin/ .
	cd e2e && TOOLSCOPE_BIN=$(CURDIR)/bin go test ./queue -count=1 -v -timeout=20m

.PHONY: chaos
chaos: ## an outage of OUTAGE (2m) with a kill in the middle, hostile destinations, a million of everything, and the soak
	cd e2e && TOOLSCOPE_E2E=1 TOOLSCOPE_OUTAGE=$(OUTAGE) go test -count=1 -v -run='^TestOutage$$' -timeout=20m .
	cd e2e && go test ./hostile -count=1 -v -timeout=0 -for 5s
	cd e2e && go test ./hostile -count=1 -v -timeout=0 -for 3s -outages 10
	cd e2e && TOOLSCOPE_E2E=1 go test -count=1 -v -run='^TestBounds$$' -timeout=20m ./soak
	cd e2e && go test ./soak -run='^TestSoak$$' -count=1 -v -timeout=0 -for $(SOAKTIME)

.PHONY: cross
cross: ## vet everything for macOS and Windows, and build the command for these and Linux, without cgo
	CGO_ENABLED=0 GOOS=linux go build -o /dev/null ./cmd/toolscope
	@for os in darwin windows; do \
		echo "$$os"; \
		CGO_ENABLED=0 GOOS=$$os go vet $(PACKAGES) && CGO_ENABLED=0 GOOS=$$os go build -o /dev/null ./cmd/toolscope || exit 1; \
	done

.PHONY: api
api: ## rewrite the listings of the exported API in api/
	go test ./internal/repocheck -run='^TestExportedAPIIsAsListed$$' -count=1 -update

.PHONY: telemetry
telemetry: ## rewrite the telemetry reference, docs/telemetry*.md
	go test ./stats -run='^TestOpenAPI$$' -count=1 -update
	go test ./internal/repocheck -run='^TestTelemetryIsAsListed$$' -count=1 -update

.PHONY: docs
docs: ## run every command of README.md and docs, type-check every Go block, and list the blocks that are not run
	@for p in ./tests/docs "./internal/repocheck -run Sentences|Pages|Index|Links"; do \
		out=$$(go test $$p -count=1 -v); code=$$?; echo "$$out" | grep -vE '^ *(=== |--- PASS)'; \
		test $$code -eq 0 || exit 1; \
	done

.PHONY: site
site: ## build the documentation's site into docs/site/dist/html, with search and llms.txt (needs npm; installs VitePress once)
	@cd docs/site && { [ -d node_modules/vitepress ] || npm install --no-save --no-audit --no-fund --ignore-scripts; } && npm run --silent build

.PHONY: recording
recording: ## record the demo and take the screenshot that the documentation shows (needs node and Chromium)
	go build -o bin/ ./cmd/toolscope
	node docs/site/record.mjs $(CURDIR)/bin/toolscope $(CURDIR)/docs/site/public/demo.cast
	docs/site/screenshot.sh $(CURDIR)/bin/toolscope $(CURDIR)/docs/site/dashboard.png

.PHONY: recall
recall: ## score the redactor on a labelled corpus: make recall CORPUS=file.jsonl.gz
	@test -n "$(CORPUS)" || { echo 'CORPUS: got "", want a file: make recall CORPUS=file.jsonl.gz'; exit 2; }
	go run ./internal/recall $(CORPUS)

.PHONY: tidy
tidy: ## go mod tidy, in every module
	go run ./internal/release tidy

.PHONY: modules
modules: ## check that modules.txt, go.mod files and workspaces agree
	go run ./internal/release verify

.PHONY: fleet
fleet: ## 50 processes that share rates, a budget and runs on a real Redis server, for some 15 s
	cd store/redis && TOOLSCOPE_E2E=1 TOOLSCOPE_LONG=1 go test . -run='^TestFiftyProcesses$$' -count=1 -v

.PHONY: consumer
consumer: ## use every released module from outside of the repository, as a release would give it
	go run ./internal/release consumer

.PHONY: release
release: ## commit and tag VERSION (v0.2.0) of all modules, after make modules and make consumer; then make dist
	@test -n "$(VERSION)" || { echo 'VERSION: got "", want a version: make release VERSION=v0.2.0'; exit 2; }
	go run ./internal/release release $(VERSION)

.PHONY: dist
dist: ## write binaries, checksums, bills of materials, Dockerfile and Homebrew formula of the tagged VERSION into dist/
	@test -n "$(VERSION)" || { echo 'VERSION: got "", want a version: make dist VERSION=v0.2.0'; exit 2; }
	go run ./internal/release dist $(VERSION)

.PHONY: clean
clean: ## remove what building left
	rm -rf bin dist
