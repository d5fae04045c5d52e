// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// TestAReloadRemovesNoFieldOfASection reloads files in which one field of a section is missing.
func TestAReloadRemovesNoFieldOfASection(t *testing.T) {
	for _, c := range []struct{ before, after, off, want string }{
		{"approve: {unattended: true, without_sensitive: true}", "approve: {unattended: true}",
			"approve: {unattended: true, without_sensitive: false}",
			`policies.approve.without_sensitive: got nothing, want "without_sensitive: true" as before, or ` +
				`"without_sensitive: false" for the default`},
		{"timeout: {max: 1s}", "timeout: {}", "timeout: {max: 0s}",
			`policies.timeout.max: got nothing, want "max: 1s" as before, or "max: 0s" for the default`},
		{"limit: {concurrency: {global: 2}}", "limit: {}", "limit: {concurrency: {global: 0}}",
			`policies.limit.concurrency.global: got nothing, want "global: 2" as before, or "global: 0" for the default`},
		{"limit: {rate: {global: {calls: 3, window: 1s}}}", "limit: {rate: {}}",
			"limit: {rate: {global: {calls: 0, window: 0s}}}", `policies.limit.rate.global.calls: got nothing`},
		{"limit: {concurrency: {tools: {a: 1, b: 1}}}", "limit: {concurrency: {tools: {a: 1}}}", "limit: {concurrency: {tools: {}}}",
			`policies.limit.concurrency.tools.b: got nothing, want "b: 1" as before, another value, or "tools: {}" for no entries`},
		{"limit: {concurrency: {tools: {a: 1}}}", "limit: {concurrency: {}}", "limit: {concurrency: {tools: {}}}",
			`policies.limit.concurrency.tools.a: got nothing`},
		{"loop: {tools: {poll: {stop: 4}}}", "loop: {tools: {poll: {}}}", "loop: {tools: {poll: {stop: 0}}}",
			`policies.loop.tools.poll.stop: got nothing, want "stop: 4" as before, or "stop: 0" for the default`},
		{"loop: {stop: 9}", "loop: {}", "loop: {stop: -1}", `policies.loop.stop: got nothing`},
		{"validate: {strict: true}", "validate: {}", "validate: {strict: false}", `policies.validate.strict: got nothing`},
		{"truncate: {limit: 1KiB}", "truncate: {}", "truncate: {limit: 64KiB}",
			`policies.truncate.limit: got nothing, want "limit: 1024" as before, or "limit: 0" for the default`},
		{"budget: {turn: {calls: 2, cost: 0.5}, session: {calls: 4}}", "budget: {turn: {calls: 2}, session: {calls: 4}}",
			"budget: {turn: {calls: 2, cost: 0}, session: {calls: 4}}",
			`policies.budget.turn.cost: got nothing, want "cost: 0.5" as before, or "cost: 0" for the default`},
		{"cache: {share: tenant}", "cache: {}", "cache: {share: session}",
			`policies.cache.share: got nothing, want "share: tenant" as before, or "share: session" for the default`},
		{"breaker: {on: [timeout]}", "breaker: {}", "breaker: {on: []}",
			`policies.breaker.on: got nothing, want the value as before, or "on: []" for the default`},
	} {
		p := openProtected(t, "policies:\n  recover: {}\n  "+c.before+"\n")
		before := p.scope.Settings()
		for _, half := range []string{c.after, strings.ReplaceAll(c.after, "}", " }")} {
			if err := p.reload(t, "policies:\n  recover: {}\n  "+half+"\n"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, then %s: got %v, want %s", c.before, half, err, c.want)
			}
		}
		if !reflect.DeepEqual(p.scope.Settings(), before) {
			t.Errorf("%s, then %s: the settings in use changed", c.before, c.after)
		}
		if err := p.reload(t, "policies:\n  recover: {}\n  "+c.off+"\n"); err != nil {
			t.Errorf("%s, then %s: got %v, want no error for an explicit value", c.before, c.off, err)
		}
		// After an explicit default the field may be left out.
		if c.off != "loop: {stop: -1}" && c.off != "truncate: {limit: 64KiB}" {
			if err := p.reload(t, "policies:\n  recover: {}\n  "+c.after+"\n"); err != nil {
				t.Errorf("%s, then %s: got %v", c.off, c.after, err)
			}
		}
	}
}

// TestAReloadOfASectionWithoutItsFieldsKeepsThemInForce calls a governed function before and after such a reload.
func TestAReloadOfASectionWithoutItsFieldsKeepsThemInForce(t *testing.T) {
	p := openProtected(t, "policies:\n  approve: {unattended: true, sensitive_words: [passphrase]}\n  timeout: {max: 1s}\n")
	limited := false
	read, err := toolscope.WrapFunc(p.scope, func(ctx context.Context, _ map[string]string) (string, error) {
		_, limited = ctx.Deadline()
		return "read", nil
	}, toolkit.TypedAdapter[map[string]string,
		string](toolkit.Definition{Name: "read", Description: "Reads.", ReadOnly: toolkit.HintOf(true), Timeout: -1}))
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		if _, err := read(t.Context(), map[string]string{"passphrase": "x"}); !errors.Is(err, toolkit.ErrApprovalDenied) {
			t.Errorf("%s: sensitive arguments: got %v, want them refused", when, err)
		}
		limited = false
		if _, err := read(t.Context(), map[string]string{"path": "x"}); err != nil || !limited {
			t.Errorf("%s: got %v, and a deadline: %t; want the call to run with one", when, err, limited)
		}
	}
	check("before")
	if err := p.reload(t, "policies:\n  approve: {unattended: true}\n  timeout: {}\n"); err == nil {
		t.Error("a file without the fields was reloaded")
	}
	check("after")
}

// TestAReloadOfABlockWithALineLessIsAnError removes each line with a value below policies from the file with
// every field there is.
func TestAReloadOfABlockWithALineLessIsAnError(t *testing.T) {
	text, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	_, policies, _ := strings.Cut(string(text), "\npolicies:\n")
	policies, _, _ = strings.Cut(policies, "\naudit:")
	lines := strings.Split(policies, "\n")
	p := openProtected(t, "policies:\n"+policies+"\n")
	removed := 0
	for i, line := range lines {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !strings.HasPrefix(line, "   ") || value == "" || strings.HasPrefix(name, "-") || name == "poll" {
			continue
		}
		switch value { // what is left out is the same
		case "true", "false", "0s", `""`, "{calls: 0, time: 0s, cost: 0}", "session", "round_robin", "local":
			if name != "coerce" && name != "remote" {
				continue
			}
		}
		rest := append(append([]string{}, lines[:i]...), lines[i+1:]...)
		err := p.reload(t, "policies:\n"+strings.Join(rest, "\n")+"\n")
		if err == nil || !strings.Contains(err.Error(), "."+name) {
			t.Errorf("without %q: got %v, want an error that names the field", strings.TrimSpace(line), err)
		}
		removed++
	}
	if removed < 60 {
		t.Errorf("removed %d lines, want 60 or more", removed)
	}
}
