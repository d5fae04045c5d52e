// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

var errPlanted = errors.New("planted")

// panicsInHere is looked for in the stacks.
func panicsInHere(context.Context, toolkit.Call) (toolkit.Result, error) { panic(errPlanted) }

// TestAPanicHasItsStack: the span of a call whose tool panicked says where, on each way into a scope and under
// each policy that recovers panics or runs the tool in another goroutine.
func TestAPanicHasItsStack(t *testing.T) {
	recovers := func(t *testing.T) []middleware.Policy {
		policy, err := middleware.Recover()
		return []middleware.Policy{must(t, policy, err)}
	}
	for name, policies := range map[string]func(*testing.T) []middleware.Policy{
		"no policy": func(*testing.T) []middleware.Policy { return nil },
		"recover":   recovers,
		"timeout that abandons": func(t *testing.T) []middleware.Policy {
			p, err := timeout.New(timeout.Options{Default: time.Minute, Abandon: []string{"backup"}})
			return []middleware.Policy{must(t, p, err)}
		},
		"timeout that abandons, recover": func(t *testing.T) []middleware.Policy {
			p, err := timeout.New(timeout.Options{Default: time.Minute, Abandon: []string{"backup"}})
			return append(recovers(t), must(t, p, err))
		},
		"dedupe": func(t *testing.T) []middleware.Policy {
			p, err := dedupe.New(dedupe.Options{})
			return []middleware.Policy{must(t, p, err)}
		},
		"retry of panics": func(t *testing.T) []middleware.Policy {
			p, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrPanic}, Attempts: 2, BaseDelay: time.Nanosecond})
			return []middleware.Policy{must(t, p, err)}
		},
	} {
		for way, wrap := range wrappings {
			if way == "Callbacks" || strings.HasPrefix(way, "ObserveOnly") && name != "no policy" {
				continue // a panic bypasses callbacks; policies do not apply under ObserveOnly
			}
			t.Run(name+"/"+way, func(t *testing.T) {
				scope, spans := newScope(t, toolscope.Options{Policies: policies(t)})
				execute := wrap(t, scope, panicsInHere)
				ctx, cancel := context.WithCancel(toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"}))
				defer cancel()
				var value any
				func() {
					defer func() { value = recover() }()
					_, _ = execute(ctx, toolkit.Call{Name: "backup"})
				}()
				if recovered := strings.Contains(name, "recover"); (value == nil) != recovered || !recovered && value != errPlanted {
					t.Errorf("the caller got the panic %v", value)
				}
				found := 0
				for _, s := range spans.Ended() {
					stack := valueOf(s, "exception.stacktrace")
					if !strings.Contains(stack, "panicsInHere") || !strings.HasPrefix(stack, "goroutine ") || len(stack) > 4096 {
						t.Errorf("%s: got the stack %q, want one of at most 4096 bytes with the tool", s.Name(), stack)
					}
					if strings.HasPrefix(s.Name(), "execute_tool") {
						found++
						if valueOf(s, "error.type") != "panic" || s.Status().Description != "panic: planted" {
							t.Errorf("got %v of type %s", s.Status(), valueOf(s, "error.type"))
						}
					}
				}
				if found != 1 {
					t.Errorf("got %d spans of calls, want 1", found)
				}
			})
		}
	}
}

// TestAStackIsPartOfTheTextOfAnError: it is redacted, does not depend on content, and is left out where the text
// of errors is.
func TestAStackIsPartOfTheTextOfAnError(t *testing.T) {
	secret := canary.Secrets(3)[0]
	stackOf := func(o toolscope.Options) string {
		policy, err := middleware.Recover()
		o.Policies = []middleware.Policy{must(t, policy, err)}
		scope, spans := newScope(t, o)
		execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(&toolkit.PanicError{Value: "x", Stack: []byte("goroutine 1\n" + secret.Text)}), nil
		}, toolkit.Lookup(lookupFailing))
		_, _ = execute(t.Context(), toolkit.Call{Name: "backup"})
		return valueOf(spans.Ended()[0], "exception.stacktrace")
	}
	for name, stack := range map[string]string{"content on": stackOf(toolscope.Options{}),
		"content off": stackOf(toolscope.Options{Content: tracing.ContentOff})} {
		if !strings.HasPrefix(stack, "goroutine 1\n") || canary.Find(stack, []canary.Secret{secret}) != nil {
			t.Errorf("%s: got %q, want the stack without %v", name, stack, secret)
		}
	}
	if stack := stackOf(withoutErrorText); stack != "" {
		t.Errorf("without the text of errors: got %q, want none", stack)
	}
}
