// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// waiting is a program in which a call waits for a person.
func waiting(t *testing.T) (url string, answered <-chan error) {
	t.Helper()
	policy, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{
		Policies:       []middleware.Policy{policy},
		ApprovalsToken: "a-token-for-tests",
		NoTracing:      true,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(scope.HTTPHandler())
	t.Cleanup(server.Close)
	def := toolkit.Definition{Name: "deploy", RequiresApproval: true}
	handle := scope.Wrap(tooltest.Echo(def).Handle, toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, err := handle(ctx, toolkit.Call{Name: "deploy", Arguments: []byte("{\"to\":\"production\\u001b[2J\"}")})
		done <- err
	}()
	t.Cleanup(cancel)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if len(policy.Pending()) == 1 {
			return server.URL, done
		}
	}
	t.Fatal("no request was opened")
	return "", nil
}

func approvals(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(append([]string{"approvals"}, args...), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

func TestApprovalsAreListedAndAnswered(t *testing.T) {
	url, answered := waiting(t)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("a-token-for-tests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := approvals(t, "--url", url, "--token-file", file)
	if code != exitOK || !strings.Contains(out, "deploy") || !strings.Contains(out, "the tool asks for approval") ||
		strings.Contains(out, "\x1b") {
		t.Fatalf("got %d, %q, %s", code, out, errs)
	}
	id := strings.Fields(out)[0]
	if code, _, errs := approvals(t, "reject", "zzz", "--url", url, "--token-file", file); code != exitError ||
		!strings.Contains(errs, `got id "zzz", which 0 open requests have`) {
		t.Errorf("an unknown id: got %d, %s", code, errs)
	}
	code, out, errs = approvals(
		t,
		"reject",
		id[:5],
		"--note",
		"not today",
		"--by",
		"ada",
		"--url",
		url,
		"--token-file",
		file,
	)
	if code != exitOK || !strings.HasSuffix(out, "rejected\n") {
		t.Fatalf("got %d, %q, %s", code, out, errs)
	}
	if err := <-answered; err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("the call came back with %v", err)
	}
	if code, out, _ := approvals(t, "--all", "--url", url, "--token-file", file); code != exitOK ||
		!strings.Contains(out, "no call waits") ||
		!strings.Contains(out, "rejected") ||
		!strings.Contains(out, "by ada") {
		t.Errorf("got %d, %q", code, out)
	}
	if code, out, _ := approvals(t, "--json", "--url", url, "--token-file", file); code != exitOK ||
		!strings.HasPrefix(out, `{"pending":[]`) {
		t.Errorf("got %d, %q", code, out)
	}
}

// TestStop uses the kill switch of a program in which a call waits.
func TestStop(t *testing.T) {
	url, answered := waiting(t)
	t.Setenv("TOOLSCOPE_TOKEN", "a-token-for-tests")
	t.Setenv("TOOLSCOPE_URL", url)
	stop := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = run(append([]string{"stop"}, args...), strings.NewReader(""), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	if code, out, errs := stop("tool", "deploy", "--reason", "not today", "--by", "ada"); code != exitOK ||
		out != "stopped: tool deploy; 0 running calls cancelled\n" {
		t.Fatalf("got %d, %q, %s", code, out, errs)
	}
	if err := <-answered; err == nil || !strings.Contains(err.Error(), "not today") || !strings.Contains(err.Error(), "by ada") {
		t.Errorf("the call that waited: got %v", err)
	}
	if code, out, _ := stop("list"); code != exitOK || !strings.Contains(out, "tool deploy  by ada  not today") {
		t.Errorf("got %d, %q", code, out)
	}
	if code, out, _ := stop("tool", "deploy", "--resume"); code != exitOK || out != "resumed: tool deploy\n" {
		t.Errorf("got %d, %q", code, out)
	}
	if code, out, _ := stop("list"); code != exitOK || out != "nothing is stopped\n" {
		t.Errorf("got %d, %q", code, out)
	}
	for want, args := range map[string][]string{
		"did you mean session?": {"sesion", "x"}, "want tool and its name": {"tool"}, "want all alone": {"all", "x"},
		"want session ID": {},
	} {
		if code, _, errs := stop(args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: got %d, %s, want %q", args, code, errs, want)
		}
	}
}

func TestApprovalsNamesWhatIsWrong(t *testing.T) {
	url, _ := waiting(t)
	t.Setenv("TOOLSCOPE_TOKEN", "")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"approve"}, exitUsage, "want list, approve ID or reject ID"},
		{[]string{"delete", "x"}, exitUsage, "want list, approve ID or reject ID"},
		{[]string{"--timeout", "0s"}, exitUsage, "--timeout"},
		{[]string{"--url", url}, exitError, "got no token"},
		{[]string{"--token-file", "no-such-file"}, exitError, "--token-file"},
	} {
		if code, _, errs := approvals(t, c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: got %d, %s", c.args, code, errs)
		}
	}
	t.Setenv("TOOLSCOPE_TOKEN", "a-wrong-token-for-tests")
	if code, _, errs := approvals(t, "--url", url); code != exitError || !strings.Contains(errs, "401") {
		t.Errorf("a wrong token: got %d, %s", code, errs)
	}
}
