// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object map[string]any

// loopback lets tests reach servers on 127.0.0.1 and nothing else.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// toolset makes tools that may ask 127.0.0.1, without pauses unless the options say so.
func toolset(t *testing.T, o web.Options) *web.Toolset {
	t.Helper()
	if o.AllowAddrs == nil {
		o.AllowAddrs = loopback
	}
	if o.HostDelay == 0 {
		o.HostDelay = -1
	}
	tools, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	return tools
}

func call(ctx context.Context, t *testing.T, tools *web.Toolset, name string, args any) toolkit.Result {
	t.Helper()
	r := new(toolkit.Registry)
	if err := r.Register(tools.Tools()...); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return r.Execute(ctx, toolkit.Call{Name: name, Arguments: text}).Result
}

func fetch(t *testing.T, tools *web.Toolset, url string, more ...object) toolkit.Result {
	t.Helper()
	args := object{"url": url}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return call(t.Context(), t, tools, "web_fetch", args)
}

// serve starts a server that answers with a body of a type.
func serve(t *testing.T, contentType, body string) string {
	t.Helper()
	return start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{contentType}
		w.Write([]byte(body))
	}).URL
}

func start(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s
}
