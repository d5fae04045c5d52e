// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package manager_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

func TestAnAnswerThatIsTooLarge(t *testing.T) {
	m := open(t, manager.Options{MaxMessage: 128 << 10,
		Servers: []manager.Server{child("stdio", "a"), web(t, "http", "b", false), web(t, "sse", "c", true),
			web(t, "json", "d", false, "json")}})
	for server, want := range map[string]string{"stdio": "a: x", "http": "b: x", "sse": "c: x", "json": "d: x"} {
		t.Run(server, func(t *testing.T) {
			_, err := call(t, m, server+"__large", "")
			var wire *jsonrpc.Error
			if !errors.As(err, &wire) || !strings.Contains(err.Error(), "the limit is 131072 (manager.Options.MaxMessage)") {
				t.Fatalf("got %v, want an error that names the limit", err)
			}
			wantCall(t, m, server+"__echo", "x", want)
			if st := status(t, m, server); st.Connects != 1 {
				t.Errorf("got %+v, want the connection to stay", st)
			}
		})
	}
}

func TestAHundredMebibytes(t *testing.T) {
	m := open(t, manager.Options{Servers: []manager.Server{child("raw", "raw")}})
	_, err := call(t, m, "raw__huge", "")
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || !strings.Contains(err.Error(), "the limit is 16777216") {
		t.Fatalf("got %v, want an error that names the limit", err)
	}
	wantCall(t, m, "raw__fine", "", "fine")
	if st := status(t, m, "raw"); st.Connects != 1 || st.Errors != 0 {
		t.Errorf("got %+v, want the connection to stay", st)
	}
}

func TestAServerThatSendsWhatItShouldNot(t *testing.T) {
	m := open(t, manager.Options{Servers: []manager.Server{child("raw", "raw")}})
	for _, tool := range []string{"number", "null"} {
		if _, err := call(t, m, "raw__"+tool, ""); err == nil {
			t.Errorf("%s: got no error, want one for a result that is none", tool)
		}
	}
	wantCall(t, m, "raw__twice", "", "first")
	wantCall(t, m, "raw__self", "", "fine") // what its schema is, is for those who validate
	defs := m.Definitions()
	if len(defs) != 11 {
		t.Errorf("got %d tools, want 11", len(defs))
	}
	for _, d := range defs {
		if d.CallsTools {
			t.Errorf("%s: got a tool that calls others, want what a server says of it to count for nothing", d.Name)
		}
		if len(d.Name) > 64 || strings.Trim(d.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			t.Errorf("got the name %q, want what model providers take", d.Name)
		}
		if strings.HasPrefix(d.Name, "raw__dots_and_marks__") || strings.HasPrefix(d.Name, "raw__gr") {
			wantCall(t, m, d.Name, "", "fine")
		}
	}
	st := status(t, m, "raw")
	problems := strings.Join(st.Problems, "\n")
	for _, want := range []string{`"fine" twice`, `\x1b`, `"" left out`, `"text" left out`} {
		if !strings.Contains(problems, want) {
			t.Errorf("got the problems\n%s\nwant one with %s", problems, want)
		}
	}
	if st.Connects != 1 {
		t.Errorf("got %+v, want one connection", st)
	}
}

// What the host refuses is answered with an error each, also where the server uses an id twice
// or one that is hostile, and the call during which it asked goes on.
func TestAServerThatAsksForWhatIsRefused(t *testing.T) {
	m := open(t, manager.Options{Servers: []manager.Server{child("raw", "raw")}})
	for range 2 {
		wantCall(t, m, "raw__asks", "", "-32601 -32601 -32601 -32601")
	}
	if st := status(t, m, "raw"); st.Connects != 1 {
		t.Errorf("got %+v, want the connection to stay", st)
	}
}

// What a tool says in _meta goes on, without what the protocol says between two peers.
func TestMetaIsHandedOn(t *testing.T) {
	m := open(t, manager.Options{Servers: []manager.Server{child("raw", "raw")}})
	res, err := m.Handle(t.Context(), toolkit.Call{Name: "raw__meta"})
	if err != nil || res.Fault != nil || res.Output != "said" || len(res.Meta) != 1 || string(res.Meta["of"]) != `"the tool"` {
		t.Errorf("got %q with the _meta %s, %v", res.Output, res.Meta, err)
	}
}

func TestListsAreBounded(t *testing.T) {
	for how, want := range map[string]string{"many": "more than 2000", "endless": "more than 1000 pages",
		"circle": "cursor of a page twice"} {
		t.Run(how, func(t *testing.T) {
			m := open(t, manager.Options{Servers: []manager.Server{child("raw", "raw", "RAW", how)}})
			st := status(t, m, "raw")
			if len(st.Problems) != 1 || !strings.Contains(st.Problems[0], want) || st.Tools > 2000 {
				t.Errorf("got %+v, want the problem %q", st, want)
			}
		})
	}
}

func TestWhatTheHostDoesNotOfferIsRefused(t *testing.T) {
	m := open(t, manager.Options{Servers: []manager.Server{child("a", "a"), web(t, "b", "b", false)}})
	for _, server := range []string{"a", "b"} {
		got, err := call(t, m, server+"__asks", "")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(got, "\n")
		for i, want := range []string{"sampling", "elicitation", "roots"} {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%s: got %q, want a refusal of %s", server, lines[i], want)
			}
		}
	}
}
