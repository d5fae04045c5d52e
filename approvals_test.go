// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
)

func TestApprovalsAreServedBesideTheStatistics(t *testing.T) {
	policy, err := approve.New(approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{
		Policies:       []middleware.Policy{policy},
		ApprovalsToken: "a-token-for-tests",
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/scope", scope.HTTPHandler()))
	defer server.Close()
	for path, want := range map[string]int{
		"/scope/approvals": 401, "/scope/api/v1/approvals": 401, "/scope/api/v1/approvals/x": 401,
		"/scope/api/v1/summary": 200, "/scope/": 200, "/scope/healthz": 200,
	} {
		res, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, res.StatusCode, want)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/scope/approvals", nil)
	req.SetBasicAuth("ada", "a-token-for-tests")
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("with the token: got %d", res.StatusCode)
	}
}

func TestApprovalsTokenNamesWhatIsWrong(t *testing.T) {
	policy, err := approve.New(approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := toolscope.New(toolscope.Options{
		ApprovalsToken: "a-token-for-tests",
	}); err == nil || !strings.Contains(err.Error(), "got no approve.Policy") {
		t.Errorf("got %v", err)
	}
	if _, err := toolscope.New(toolscope.Options{
		Policies:       []middleware.Policy{policy},
		ApprovalsToken: "short",
	}); err == nil || !strings.Contains(err.Error(), "want at least 16") {
		t.Errorf("got %v", err)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
