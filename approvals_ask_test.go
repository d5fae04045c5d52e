// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

const approvalsToken = "a-token-for-tests"

// guarded wraps a tool that requires approval.
func guarded(scope *toolscope.Scope) toolkit.Handler {
	def := toolkit.Definition{Name: "pay", RequiresApproval: true}
	return scope.Wrap(tooltest.Echo(def).Handle, toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
}

// approveOverHTTP approves the next open request below url.
func approveOverHTTP(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	send := func(method, path, body string) *http.Response {
		req, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return nil
		}
		req.Header.Set("Authorization", "Bearer "+approvalsToken)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		if err != nil {
			return nil
		}
		return res
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		res := send("GET", "/api/v1/approvals", "")
		if res == nil {
			return
		}
		var open struct{ Pending []approve.Request }
		err := json.NewDecoder(res.Body).Decode(&open)
		res.Body.Close()
		if err != nil {
			t.Error(err)
			return
		}
		if len(open.Pending) == 0 {
			continue
		}
		r := open.Pending[0]
		if res := send("POST", "/api/v1/approvals/"+r.ID, `{"approve":true,"digest":"`+r.Digest+`"}`); res != nil {
			res.Body.Close()
			if res.StatusCode != http.StatusOK {
				t.Errorf("the answer: got %s", res.Status)
			}
		}
		return
	}
	t.Error("no request was opened")
}

// TestServingApprovalsIsEnough asks over HTTP with the options' zero value, for a policy given to New and for one
// given to Apply.
func TestServingApprovalsIsEnough(t *testing.T) {
	var policies []*approve.Policy
	for range 2 {
		policy, err := approve.New(approve.Options{Expiry: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, policy)
	}
	scope, err := toolscope.New(toolscope.Options{
		Policies:       []middleware.Policy{policies[0]},
		ApprovalsToken: approvalsToken,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(scope.HTTPHandler())
	defer server.Close()
	for i, policy := range policies {
		if err := scope.Apply(toolscope.Settings{Policies: []middleware.Policy{policy}}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan struct{})
		go func() { defer close(answered); approveOverHTTP(ctx, t, server.URL) }()
		if res, err := guarded(scope)(t.Context(), toolkit.Call{Name: "pay", Arguments: []byte(`{}`)}); err != nil || res.Fault != nil {
			t.Errorf("policy %d: got %v and %v for a call that is approved over HTTP", i, res, err)
			cancel() // there is nothing to answer
		}
		<-answered
		cancel()
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestAPolicyThatCannotAskIsAnError gives a scope a policy that can only ask on a terminal where there is none.
func TestAPolicyThatCannotAskIsAnError(t *testing.T) {
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		f.Close()
		t.Skip("there is a terminal here")
	}
	policy, err := approve.New(approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "approve: no person can be asked"
	if _, err := toolscope.New(toolscope.Options{
		Policies: []middleware.Policy{policy},
	}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("New: got %v, want %q in it", err, want)
	}
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = scope.Apply(toolscope.Settings{Policies: []middleware.Policy{policy}})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Apply: got %v, want %q in it", err, want)
	}
	if got := scope.Settings().Policies; len(got) > 0 {
		t.Errorf("Apply failed and changed the policies: %v", got)
	}
}
