// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
)

// A section is a policy's part of a file that can build the policy.
type section interface {
	on() bool
	build(b *builder) (middleware.Policy, error)
}

// sections are those that are on, by name, in the order of the file's fields.
func (p *Policies) sections() (names []string, all []section) {
	v := reflect.ValueOf(p).Elem()
	for _, f := range fields(v.Type()) {
		field := v.FieldByIndex(f.Index)
		if field.IsNil() {
			continue
		}
		if s := field.Interface().(section); s.on() {
			names, all = append(names, f.Tag.Get("yaml")), append(all, s)
		}
	}
	return names, all
}

// builder is what sections are built with.
type builder struct {
	*File
	files    bool   // whether files that the section names are opened
	approver bool   // whether an Approve policy stands behind the gate
	content  []byte // what the section stands on besides its own words: a change of it is one of the section
}

// policies builds the sections that are on. A policy whose section, and the files it
// stands on, are as they were is the one that is in use. All errors are joined; then what was
// built anew is closed. Without files a section that stands on one builds nil.
func (f *File) policies(c *Config, lines map[string]int, files bool) (map[string]built, error) {
	next := map[string]built{}
	var errs []error
	names, sections := c.Policies.sections()
	approver := slices.Contains(names, "approve")
	for i, name := range names {
		b := &builder{File: f, files: files, approver: approver}
		policy, err := sections[i].build(b)
		if err != nil {
			field := "policies." + name
			errs = append(errs, &Error{f.path, lines[field], field, err.Error(), ""})
			continue
		}
		next[name] = built{sections[i], b.content, policy}
		if was, ok := f.built[name]; ok && reflect.DeepEqual(was.section, sections[i]) && slices.Equal(was.content, b.content) {
			closePolicy(policy)
			next[name] = was
		}
	}
	if len(errs) > 0 {
		f.discard(next)
		return nil, errors.Join(errs...)
	}
	return next, nil
}

// discard closes what was built anew.
func (f *File) discard(policies map[string]built) {
	for name, b := range policies {
		if f.built[name].policy != b.policy {
			closePolicy(b.policy)
		}
	}
}

func closePolicy(p middleware.Policy) {
	switch c := p.(type) {
	case io.Closer:
		_ = c.Close() // it has served nobody
	case interface{ Close() }:
		c.Close()
	}
}

func (*Recover) build(*builder) (middleware.Policy, error) { return middleware.Recover() }

func (s *Loop) build(*builder) (middleware.Policy, error) {
	o := loop.Options{Default: s.Thresholds.options(), Window: s.Window, Sessions: s.Sessions, Idle: s.Idle, Tools: map[string]loop.Thresholds{}}
	for name, t := range s.Tools {
		o.Tools[name] = t.options()
	}
	return loop.New(o)
}

func (t Thresholds) options() loop.Thresholds {
	return loop.Thresholds{Signal: t.Signal, Advice: t.Advice, Stop: t.Stop}
}

func (s *Truncate) build(*builder) (middleware.Policy, error) {
	o := middleware.TruncateOptions{Limit: int(s.Limit), Hints: s.Hints, Tools: map[string]int{}}
	for name, size := range s.Tools {
		o.Tools[name] = int(size)
	}
	return middleware.Truncate(o)
}

func (s *Validate) build(*builder) (middleware.Policy, error) {
	return validate.New(validate.Options{Coerce: s.Coerce, Strict: s.Strict, MaxBytes: int(s.MaxBytes)})
}

func (s *Permit) build(b *builder) (middleware.Policy, error) {
	b.content = strconv.AppendBool(nil, b.approver)
	if s.Rules == "" {
		rules, err := permit.Compile(permit.Spec{Workspace: s.Workspace})
		if err != nil {
			return nil, err
		}
		return permit.New(permit.Options{Rules: rules, Approver: b.approver})
	}
	if len(s.Workspace) > 0 {
		return nil, fmt.Errorf("workspace: got it beside rules, want it in that file")
	}
	if !b.files {
		return nil, nil
	}
	text, err := readFile(b.beside(s.Rules))
	if err != nil {
		return nil, err
	}
	b.content = append(b.content, text...)
	rules, err := permit.Parse(b.beside(s.Rules), text)
	if err != nil {
		return nil, err
	}
	return permit.New(permit.Options{Rules: rules, Approver: b.approver})
}

func (s *Dedupe) build(b *builder) (middleware.Policy, error) {
	p, err := dedupe.New(dedupe.Options{Tools: s.Tools, Share: sharing[s.Share], Reach: sharing[s.Reach], History: s.History, MaxAnswers: s.MaxAnswers, MaxBytes: int(s.MaxBytes)})
	if err != nil {
		return nil, err
	}
	if old, ok := b.built["dedupe"].policy.(*dedupe.Policy); ok {
		p.Inherit(old)
	}
	return p, nil
}

func (s *Approve) build(b *builder) (middleware.Policy, error) {
	o := approve.Options{
		Expiry: s.Expiry, Defer: s.Defer, MaxPending: s.MaxPending, Sensitive: s.Sensitive, Redactor: b.redactor, Tell: b.tell,
	}
	if s.Remote {
		o.Askers = append(o.Askers, approve.HTTP())
	}
	if s.Unattended {
		o.Askers = append(o.Askers, approve.Unattended())
	}
	if s.Terminal != nil && *s.Terminal {
		o.Askers = append(o.Askers, approve.Terminal())
	} else if s.Terminal != nil && len(o.Askers) == 0 && !s.Defer {
		return nil, fmt.Errorf("terminal: got false, want remote: true or unattended: true as well")
	}
	for i, p := range s.Patterns {
		pattern := approve.Pattern{Tool: p.Tool, Arguments: p.Arguments, Approver: p.Approver}
		if p.Expires != "" {
			at, err := time.Parse(time.RFC3339, p.Expires)
			if err != nil {
				return nil, fmt.Errorf("patterns[%d].expires: got %.40q, want a time such as 2026-12-31T00:00:00Z", i, p.Expires)
			}
			pattern.Expires = at
		}
		o.Patterns = append(o.Patterns, pattern)
	}
	p, err := approve.New(o)
	if err != nil {
		return nil, err
	}
	if old, ok := b.built["approve"].policy.(*approve.Policy); ok {
		p.Inherit(old)
	}
	return p, nil
}

// sharing are the words for the widths of sharing; "" is the narrowest.
var sharing = map[string]middleware.Sharing{"tenant": middleware.PerTenant, "global": middleware.Global}

func (s *Cache) build(b *builder) (middleware.Policy, error) {
	p, err := cache.New(cache.Options{
		TTL: s.TTL, Tools: s.Tools, Share: sharing[s.Share], Reach: sharing[s.Reach], FaultTTL: s.FaultTTL, StaleFor: s.StaleFor,
		Refreshes: s.Refreshes, RefreshTimeout: s.RefreshTimeout, MaxBytes: int(s.MaxBytes),
	})
	if err != nil {
		return nil, err
	}
	if old, ok := b.built["cache"].policy.(*cache.Policy); ok {
		p.Inherit(old)
	}
	return p, nil
}

func (s *Budget) build(b *builder) (middleware.Policy, error) {
	p, err := budget.New(budget.Options{Turn: budget.Limits(s.Turn), Session: budget.Limits(s.Session), Tenant: budget.Limits(s.Tenant), Keep: s.Keep, Idle: s.Idle})
	if err != nil {
		return nil, err
	}
	if old, ok := b.built["budget"].policy.(*budget.Policy); ok {
		p.Inherit(old)
	}
	return p, nil
}

func (s *Retry) build(*builder) (middleware.Policy, error) {
	return retry.New(retry.Options{On: kinds(s.On), OnTypes: s.OnTypes, Tools: s.Tools, Attempts: s.Attempts, BaseDelay: s.BaseDelay, MaxDelay: s.MaxDelay, Budget: retry.Budget(s.Budget)})
}

func (s *Breaker) build(*builder) (middleware.Policy, error) {
	return breaker.New(breaker.Options{
		On: kinds(s.On), OnTypes: s.OnTypes, Consecutive: s.Consecutive, Rate: s.Rate, MinCalls: s.MinCalls, Window: s.Window, OpenFor: s.OpenFor, Probes: s.Probes, MaxKeys: s.MaxKeys,
	})
}

func kinds(names []string) (all []toolkit.Kind) {
	for _, name := range names {
		all = append(all, toolkit.Kind(name))
	}
	return all
}

func (s *Limit) build(*builder) (middleware.Policy, error) {
	c, r := s.Concurrency, s.Rate
	o := limit.Options{
		Concurrency: limit.Concurrency{Global: c.Global, PerTool: c.PerTool, PerKey: c.PerSession, Tools: c.Tools, Queue: c.Queue, QueuePerKey: c.QueuePerKey, MaxWait: c.MaxWait},
		Rate: limit.Rate{
			Global: r.Global.options(), PerKey: r.PerSession.options(), Tools: map[string]toolkit.RateLimit{}, IgnoreDefinitions: r.IgnoreDefinitions,
			MaxWait: r.MaxWait, Queue: r.Queue, MaxKeys: r.MaxKeys,
		},
		Exempt: s.Exempt,
	}
	if c.Order == "fifo" {
		o.Concurrency.Order = limit.FIFO
	}
	for name, rate := range r.Tools {
		o.Rate.Tools[name] = rate.options()
	}
	return limit.New(o)
}

func (r Rate) options() toolkit.RateLimit {
	return toolkit.RateLimit{MaxCalls: r.Calls, Window: r.Window}
}

func (s *Timeout) build(*builder) (middleware.Policy, error) {
	return timeout.New(timeout.Options{
		Default: s.Default, Tools: s.Tools, Max: s.Max, MaxTools: s.MaxTools, Abandon: s.Abandon, MaxAbandoned: s.MaxAbandoned,
	})
}
