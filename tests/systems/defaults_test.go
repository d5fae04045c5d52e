// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package systems_test compares toolscope with the defaults and the names of the tool systems that
// docs/guarantees-systems.md describes.
package systems_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tools/web"
)

// answerTime is how much longer than its own limit a tool asks for, so that its answer about the limit gets through.
const answerTime = 5 * time.Second

// TestDefaultsOfTools compares the definitions of the tools.
func TestDefaultsOfTools(t *testing.T) {
	if toolkit.DefaultTimeout != 60*time.Second {
		t.Errorf("a call's time limit: got %v, want 60s", toolkit.DefaultTimeout)
	}
	backend, err := web.NewSearXNG("http://localhost:1")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.New(catalog.Options{Dir: t.TempDir(), Write: true, SkipMissing: true,
		Shell: new(shell.Options), Python: new(python.Options), Web: &web.Options{Search: backend},
		DB: new(sql.DB), SQL: sqldb.Options{Dialect: sqldb.SQLite}})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	for _, tt := range []struct{ tool, member, keyword, want string }{
		{"file_list", "depth", "default", "3"},
		{"file_search", "limit", "default", "100"},
		{"file_write", "mode", "enum", `["create","overwrite","append"]`},
		{"web_search", "count", "default", "5"},
		{"web_crawl", "urls", "maxItems", "10"},
	} {
		d := tools.Registry.Lookup(tt.tool)
		if d == nil {
			t.Errorf("%s: no such tool", tt.tool)
			continue
		}
		var schema struct {
			Properties map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(d.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(string(schema.Properties[tt.member][tt.keyword]), " ", "")
		if got != tt.want {
			t.Errorf("%s, %s of %s: got %q, want %s", tt.tool, tt.keyword, tt.member, got, tt.want)
		}
	}
	if d := tools.Registry.Lookup("shell_run"); d != nil && d.Timeout != 30*time.Second+answerTime {
		t.Errorf("shell_run: got %v, want 30s and the time of its answer", d.Timeout)
	}
	if d := tools.Registry.Lookup("sql_query"); d.Timeout != 30*time.Second+answerTime ||
		!strings.Contains(d.Description, "at most 1000 rows") {
		t.Errorf("sql_query: got %v and %q, want 30s and 1000 rows", d.Timeout, d.Description)
	}
	for level, want := range map[python.Level]time.Duration{
		"": 10 * time.Second, python.Lenient: 30 * time.Second, python.Standard: 10 * time.Second, python.Strict: 5 * time.Second,
	} {
		tool, err := python.New(python.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		if got := tool.Definition().Timeout; got != want+answerTime {
			t.Errorf("python_run at %q: got %v, want %v and the time of its answer", level, got, want)
		}
	}
}

// TestModulesOfPython compares what each level allows and forbids.
func TestModulesOfPython(t *testing.T) {
	if err := python.Available(python.Options{}); err != nil {
		t.Skip(err)
	}
	const computing = "collections itertools functools operator array copy enum math cmath numbers fractions decimal random " +
		"statistics string textwrap unicodedata typing dataclasses abc contextlib"
	const texts = "json csv re heapq bisect pprint datetime time calendar difflib base64 binascii quopri uu html " +
		"xml.etree.ElementTree hashlib hmac warnings logging"
	const forbidden = "eval exec compile __import__ open input globals locals vars breakpoint exit quit memoryview bytearray"
	const looking = "dir hasattr getattr setattr delattr type isinstance issubclass"
	for _, tt := range []struct {
		level              python.Level
		modules, forbidden string
	}{{python.Standard, computing + " " + texts, forbidden}, {python.Strict, computing, forbidden + " " + looking}} {
		tool, err := python.New(python.Options{Level: tt.level})
		if err != nil {
			t.Fatal(err)
		}
		refusals := ""
		names := strings.Fields(tt.forbidden)
		for some := range slices.Chunk(names, 9) { // an error lists ten
			arguments, err := json.Marshal(map[string]string{"code": "import os\n" + strings.Join(some, "\n")})
			if err != nil {
				t.Fatal(err)
			}
			_, err = tool.Handle(t.Context(), toolkit.Call{Name: "python_run", Arguments: arguments})
			if err == nil {
				t.Fatalf("%s: got no error", tt.level)
			}
			refusals += err.Error() + "\n"
		}
		_, list, _ := strings.Cut(refusals, "modules allowed: ")
		list, _, _ = strings.Cut(list, "\n")
		allowed := map[string]bool{"collections.abc": true} // it is a part of collections
		for _, m := range strings.Fields(tt.modules) {
			allowed[m] = true
		}
		listed := 0
		for _, m := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,;\n", r) }) {
			if allowed[m] {
				listed++
			} else {
				t.Errorf("%s: allows %q, which the system does not", tt.level, m)
			}
		}
		if listed != len(allowed) {
			t.Errorf("%s: got %d modules of %q, want %d", tt.level, listed, list, len(allowed))
		}
		for _, name := range names {
			if !strings.Contains(refusals, " "+name) {
				t.Errorf("%s: %s is not refused: %s", tt.level, name, refusals)
			}
		}
	}
}

// TestDefaultsOfApprovals compares a request to a person.
func TestDefaultsOfApprovals(t *testing.T) {
	var asked approve.Request
	approver, err := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(
		func(_ context.Context, r approve.Request) (approve.Answer, error) {
			asked = r
			return approve.Answer{By: "ada"}, nil
		})}})
	if err != nil {
		t.Fatal(err)
	}
	h := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, approver)
	if _, err := h(t.Context(), toolkit.Call{Name: "x", Arguments: []byte(`{"drop":1}`)}); err == nil {
		t.Error("a call that was refused ran")
	}
	if got := asked.Expires.Sub(asked.Created); got != 5*time.Minute || asked.ID == "" || asked.Reason == "" {
		t.Errorf("a request: got %+v, want an id, a reason, and 5 minutes", asked)
	}
}

// TestSearchGivesFiveResults asks a search service that has more.
func TestSearchGivesFiveResults(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		result := `{"title":"t","url":"https://e.example/","content":"c"}`
		_, _ = w.Write([]byte(`{"results":[` + strings.Repeat(result+",", 20) + result + `]}`))
	}))
	defer server.Close()
	backend, err := web.NewSearXNG(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	set, err := web.New(web.Options{Search: backend})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	r := new(toolkit.Registry)
	if err := r.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	res := r.Execute(t.Context(), toolkit.Call{Name: "web_search", Arguments: []byte(`{"query":"q"}`)}).Result
	if got := strings.Count(res.Output, "https://e.example/"); got != 5 {
		t.Errorf("got %d results, want 5: %s", got, res.Output)
	}
}
