// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "time"

// A Config is what a file says. A policy is on if the file has its section, which may be
// empty, unless the section says enabled: false. What a section leaves out has the default of
// the policy's Options.
type Config struct {
	Enabled  *bool           `yaml:"enabled" doc:"false passes all calls on as if there were no toolscope; default true. Read again while running."`
	Content  *bool           `yaml:"content" doc:"Arguments and results on spans, redacted; default true. What the environment turns off stays off. Read again while running."`
	Redact   Redact          `yaml:"redact" doc:"What everything passes before it leaves."`
	Tools    map[string]Tool `yaml:"tools" doc:"Single tools by name. Read again while running."`
	Policies Policies        `yaml:"policies" doc:"What governs calls. Read again while running: a policy whose section is unchanged keeps what it knows."`
	Audit    *Audit          `yaml:"audit" doc:"Appends decisions to a file."`
}

// Redact says how content is redacted.
type Redact struct {
	File string `yaml:"file" doc:"The redactor's own configuration file, beside this file if the path is relative; default: none."`
}

// Tool is a single tool.
type Tool struct {
	Enabled *bool `yaml:"enabled" doc:"false refuses the tool's calls; default true."`
}

// Audit is the audit log.
type Audit struct {
	Switch
	File             string `yaml:"file" doc:"Where lines are appended, beside this file if the path is relative."`
	Sync             bool   `yaml:"sync" doc:"Wait until each line is on the disk; default false."`
	All              bool   `yaml:"all" doc:"Every call, decided on or not; default false."`
	WithoutArguments bool   `yaml:"without_arguments" doc:"Leave out the redacted arguments; default false."`
}

// Switch turns a section off without taking it out of the file.
type Switch struct {
	Enabled *bool `yaml:"enabled" doc:"false turns the section off; default true."`
}

func (s Switch) on() bool { return s.Enabled == nil || *s.Enabled }

// Policies are the sections of single policies.
type Policies struct {
	Recover  *Recover  `yaml:"recover" doc:"Makes a failed result of a tool's panic."`
	Loop     *Loop     `yaml:"loop" doc:"Notices calls that repeat, and can stop them."`
	Truncate *Truncate `yaml:"truncate" doc:"How much of a result the model gets."`
	Validate *Validate `yaml:"validate" doc:"Arguments against the tool's JSON Schema."`
	Permit   *Permit   `yaml:"permit" doc:"Allow, ask or deny, by rules."`
	Approve  *Approve  `yaml:"approve" doc:"A person's answer before a call goes on."`
	Dedupe   *Dedupe   `yaml:"dedupe" doc:"Twins: identical calls at once, in a batch, in a session's history."`
	Cache    *Cache    `yaml:"cache" doc:"Stored answers of tools that only read, or may run twice."`
	Budget   *Budget   `yaml:"budget" doc:"Calls, running time and cost of a turn, a session, a tenant."`
	Retry    *Retry    `yaml:"retry" doc:"Runs named failures of tools again that may run twice."`
	Breaker  *Breaker  `yaml:"breaker" doc:"Refuses the calls of tools that are down."`
	Limit    *Limit    `yaml:"limit" doc:"How many calls run at once, and how many begin in a window."`
	Timeout  *Timeout  `yaml:"timeout" doc:"How long tools may run."`
}

// Recover makes a failed result of a panic.
type Recover struct{ Switch }

// Loop notices calls that repeat.
type Loop struct {
	Switch
	Thresholds
	Tools    map[string]Thresholds `yaml:"tools" doc:"Thresholds of single tools."`
	Window   int                   `yaml:"window" doc:"Calls remembered of a session, 16 to 1024; default 64."`
	Sessions int                   `yaml:"sessions" doc:"Sessions remembered; default 10000."`
	Idle     time.Duration         `yaml:"idle" doc:"A session unused for longer is forgotten; default 1h."`
}

// Thresholds are at which count something happens; -1 is never.
type Thresholds struct {
	Signal int `yaml:"signal" doc:"Tell on the span and in the statistics; default 3, -1 never."`
	Advice int `yaml:"advice" doc:"Add a line for the model; default 5, -1 never."`
	Stop   int `yaml:"stop" doc:"Refuse the call; default never."`
}

// Truncate cuts results.
type Truncate struct {
	Switch
	Limit Size              `yaml:"limit" doc:"Most bytes of text, the mark included; default 64KiB, below 0 no limit."`
	Tools map[string]Size   `yaml:"tools" doc:"Limits of single tools."`
	Hints map[string]string `yaml:"hints" doc:"How the model gets the rest of a tool's result."`
}

// Validate checks arguments.
type Validate struct {
	Switch
	Coerce   bool `yaml:"coerce" doc:"Repair values of a wrong type that say the right one; default false."`
	Strict   bool `yaml:"strict" doc:"Refuse the calls of tools whose schema does not compile; default false."`
	MaxBytes Size `yaml:"max_bytes" doc:"Longest arguments; default 16MiB, below 0 no limit."`
}

// Permit decides by rules.
type Permit struct {
	Switch
	Rules     string   `yaml:"rules" doc:"The rules' file, beside this file if the path is relative; default: the built-in rules."`
	Workspace []string `yaml:"workspace" doc:"Directories in which the built-in rules let files be written; not with rules, whose file has its own."`
}

// Dedupe answers twins.
type Dedupe struct {
	Switch
	Tools      []string      `yaml:"tools" doc:"Tools whose calls may be twins although they do not say that they only read."`
	Share      string        `yaml:"share" allowed:"session,tenant,global" doc:"Among whose calls twins are looked for; default session."`
	Reach      string        `yaml:"reach" allowed:"session,tenant,global" doc:"Whose calls a write concerns; default and at least share."`
	History    time.Duration `yaml:"history" doc:"How long a finished call answers later twins; default within its batch only."`
	MaxAnswers int           `yaml:"max_answers" doc:"Finished calls remembered; default 10000."`
	MaxBytes   Size          `yaml:"max_bytes" doc:"Memory they may take; default 32MiB."`
}

// Approve asks a person.
type Approve struct {
	Switch
	Terminal   *bool         `yaml:"terminal" doc:"Ask on the controlling terminal; default: unless answers come over HTTP."`
	Remote     bool          `yaml:"remote" doc:"Answers come over HTTP; an error where the program does not serve them (toolscope.Options.ApprovalsToken); default false."`
	Unattended bool          `yaml:"unattended" doc:"No person is asked: calls that no pattern approves are refused; default false."`
	Expiry     time.Duration `yaml:"expiry" doc:"How long an answer is waited for; default 5m."`
	Defer      bool          `yaml:"defer" doc:"Suspend the call instead of waiting; answers come over HTTP; default false."`
	MaxPending int           `yaml:"max_pending" doc:"Open requests; default 1000."`
	Sensitive  bool          `yaml:"sensitive" doc:"Ask as well if arguments say password, secret, token, key, delete, drop or destroy; default false."`
	Patterns   []Pattern     `yaml:"patterns" doc:"Calls approved beforehand."`
}

// Pattern approves calls beforehand.
type Pattern struct {
	Tool      string            `yaml:"tool" name:"tool" doc:"The tool's name, with * and ?."`
	Arguments map[string]string `yaml:"arguments" doc:"What arguments must say, by JSON Pointer, with * and ?."`
	Approver  string            `yaml:"approver" doc:"Who approved."`
	Expires   string            `yaml:"expires" doc:"When the pattern ends, in RFC 3339: 2026-12-31T00:00:00Z; default never."`
}

// Cache stores answers.
type Cache struct {
	Switch
	TTL            time.Duration `yaml:"ttl" doc:"Of tools whose definition says none; default 5m, below 0 stores none of theirs."`
	Tools          []string      `yaml:"tools" doc:"Tools whose answers are stored although they do not say that they only read."`
	Share          string        `yaml:"share" allowed:"session,tenant,global" doc:"Who may be given a stored answer; default session."`
	Reach          string        `yaml:"reach" allowed:"session,tenant,global" doc:"Whose stored answers a write makes stale; default and at least share."`
	FaultTTL       time.Duration `yaml:"fault_ttl" doc:"How long a tool's own failures are stored; default not at all."`
	StaleFor       time.Duration `yaml:"stale_for" doc:"How long after its time an answer is still given while it is renewed; default not at all."`
	Refreshes      int           `yaml:"refreshes" doc:"Tools that renew answers at once; default 4; wants stale_for."`
	RefreshTimeout time.Duration `yaml:"refresh_timeout" doc:"How long each may run; default 1m; wants stale_for."`
	MaxBytes       Size          `yaml:"max_bytes" doc:"Memory for answers; default 64MiB."`
}

// Budget is what may be used up.
type Budget struct {
	Switch
	Turn    BudgetLimits  `yaml:"turn" doc:"Of each turn of a session."`
	Session BudgetLimits  `yaml:"session" doc:"Of each session."`
	Tenant  BudgetLimits  `yaml:"tenant" doc:"Of all sessions of a tenant."`
	Keep    int           `yaml:"keep" doc:"Sessions, and tenants, remembered; default 10000."`
	Idle    time.Duration `yaml:"idle" doc:"What is unused for longer begins anew; default 24h."`
}

// BudgetLimits are limits of one scope.
type BudgetLimits struct {
	Calls int           `yaml:"calls" doc:"Calls that run; 0 is no limit."`
	Time  time.Duration `yaml:"time" doc:"Running time, all calls together; 0 is no limit."`
	Cost  float64       `yaml:"cost" doc:"By the definitions' cost of a call, each attempt; 0 is no limit."`
}

// Retry runs failed calls again.
type Retry struct {
	Switch
	On        []string      `yaml:"on" doc:"The kinds of failures that are tried again, such as timeout; default none: without on and on_types nothing is retried."`
	OnTypes   []string      `yaml:"on_types" doc:"Further error.type values, of your application's own errors; default none."`
	Tools     []string      `yaml:"tools" doc:"Tools that may run twice although they do not say so."`
	Attempts  int           `yaml:"attempts" doc:"Runs of one call at most; default 3."`
	BaseDelay time.Duration `yaml:"base_delay" doc:"The longest wait before the second run; doubles with each; default 100ms."`
	MaxDelay  time.Duration `yaml:"max_delay" doc:"The longest wait of all; default 10s."`
	Budget    RetryBudget   `yaml:"budget" doc:"How many retries there may be, so that they multiply no storm."`
}

// RetryBudget bounds retries.
type RetryBudget struct {
	Ratio     float64 `yaml:"ratio" doc:"Retries as a part of calls; default 0.1."`
	PerSecond float64 `yaml:"per_second" doc:"Retries a second whatever the calls; default 1."`
	Burst     int     `yaml:"burst" doc:"Retries saved up; default 10."`
}

// Breaker refuses the calls of tools that are down.
type Breaker struct {
	Switch
	On          []string      `yaml:"on" doc:"The kinds of errors that count as failures; default timeout, panic, overloaded, _OTHER."`
	OnTypes     []string      `yaml:"on_types" doc:"Further error.type values that count, of your application's own errors; default none."`
	Consecutive int           `yaml:"consecutive" doc:"Failures in a row that open a circuit; default 5, below 0 never."`
	Rate        float64       `yaml:"rate" doc:"Share of failures that opens a circuit; default 0.5, below 0 never."`
	MinCalls    int           `yaml:"min_calls" doc:"Calls that make a rate; default 20."`
	Window      time.Duration `yaml:"window" doc:"How far back calls count; default 1m."`
	OpenFor     time.Duration `yaml:"open_for" doc:"How long a circuit stays open before a call may try; default 30s."`
	Probes      int           `yaml:"probes" doc:"Calls that must succeed to close a circuit; default 1."`
	MaxKeys     int           `yaml:"max_tools" doc:"Circuits kept; default 10000."`
}

// Limit is concurrency and rate.
type Limit struct {
	Switch
	Concurrency Concurrency `yaml:"concurrency" doc:"Calls that run at once."`
	Rate        RateLimits  `yaml:"rate" doc:"Calls that begin in a window."`
	Exempt      []string    `yaml:"exempt" doc:"Tools that no limit applies to."`
}

// Concurrency is how many calls run at once.
type Concurrency struct {
	Global      int            `yaml:"global" doc:"All together; default no limit."`
	PerTool     int            `yaml:"per_tool" doc:"Of each tool; default no limit."`
	PerSession  int            `yaml:"per_session" doc:"Of each session; default no limit."`
	Tools       map[string]int `yaml:"tools" doc:"Of single tools."`
	Queue       int            `yaml:"queue" doc:"Calls that may wait; default 1024, below 0 none."`
	QueuePerKey int            `yaml:"queue_per_session" doc:"Calls of one session that may wait; default an eighth of queue, below 0 as many as queue."`
	MaxWait     time.Duration  `yaml:"max_wait" doc:"How long a call waits; default 1m, below 0 no limit."`
	Order       string         `yaml:"order" allowed:"by_turns,fifo" doc:"Who comes first among sessions; default by_turns."`
}

// RateLimits are calls in windows.
type RateLimits struct {
	Global            Rate            `yaml:"global" doc:"All together; default no limit."`
	PerSession        Rate            `yaml:"per_session" doc:"Of each session; default no limit."`
	Tools             map[string]Rate `yaml:"tools" doc:"Of single tools, in place of their definitions'."`
	IgnoreDefinitions bool            `yaml:"ignore_definitions" doc:"Do not enforce the definitions' rate limits; default false."`
	MaxWait           time.Duration   `yaml:"max_wait" doc:"How long a call may wait for its turn; default: it is refused at once."`
	Queue             int             `yaml:"queue" doc:"Calls that may wait; default 1024."`
	MaxKeys           int             `yaml:"max_sessions" doc:"Sessions remembered; default 10000."`
}

// Rate is how many calls may begin in a window.
type Rate struct {
	Calls  int           `yaml:"calls" doc:"0 is no limit."`
	Window time.Duration `yaml:"window" doc:"How long the window is."`
}

// Timeout is how long tools may run.
type Timeout struct {
	Switch
	Default      time.Duration            `yaml:"default" doc:"Tools without a limit of their own; default 60s, or max if that is shorter; below 0 no limit."`
	Tools        map[string]time.Duration `yaml:"tools" doc:"Single tools; wins over their definitions, but not over max and max_tools."`
	Max          time.Duration            `yaml:"max" doc:"The ceiling: no attempt runs longer, whatever a tool's definition says; default none."`
	MaxTools     map[string]time.Duration `yaml:"max_tools" doc:"Ceilings of single tools, in place of max; below 0 none."`
	Abandon      []string                 `yaml:"abandon" doc:"Tools that do not heed their context: they are left behind."`
	MaxAbandoned int                      `yaml:"max_abandoned" doc:"How many may be left behind at once; default 64."`
}
