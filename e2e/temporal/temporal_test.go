// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/server/temporaltest"
	"google.golang.org/protobuf/encoding/protojson"

	historypb "go.temporal.io/api/history/v1"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
	"github.com/toolscope/toolscope/workflow/temporal"
)

var record = flag.String("record", "", "write the histories of the runs into this folder, for the replay tests of workflow/temporal")

// Variables of a worker's process.
const (
	envAddress   = "TOOLSCOPE_TEMPORAL_ADDRESS"
	envNamespace = "TOOLSCOPE_TEMPORAL_NAMESPACE"
	envKeys      = "TOOLSCOPE_TEMPORAL_KEYS"
	envFolder    = "TOOLSCOPE_TEMPORAL_FOLDER"
)

// TestMain is a worker if its process was started as one.
func TestMain(m *testing.M) {
	if os.Getenv(envAddress) != "" {
		if err := work(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// definitions are the workflows of the tests.
func definitions() map[string]workflow.Definition {
	step := func(id, tool string) workflow.Step {
		return workflow.Step{ID: id, Call: tool, With: map[string]any{"step": id, "note": "$input.note"}}
	}
	list := map[string]workflow.Definition{}
	for _, tool := range []string{"read", "write"} {
		list["three_"+tool] = workflow.Definition{Steps: []workflow.Step{step("one", tool), step("two", tool), step("three", tool)}}
	}
	undone := step("one", "write")
	undone.Undo = &workflow.Call{Tool: "write", With: map[string]any{"step": "undo_one"}}
	list["saga"] = workflow.Definition{Steps: []workflow.Step{undone, step("two", "write"), step("three", "write")}}
	list["asks"] = workflow.Definition{Steps: []workflow.Step{step("one", "read"), step("two", "pay"), step("three", "read")}}
	list["wide"] = workflow.Definition{Steps: []workflow.Step{
		{ID: "all", Each: &workflow.Each{In: "${ 1..20 }", Do: &workflow.Step{Call: "read", With: map[string]any{"step": "$item"}}}},
		{ID: "first", Parallel: &workflow.Parallel{Merge: workflow.First, Branches: []workflow.Step{
			{ID: "quick", Call: "read", With: map[string]any{"step": "quick"}},
			{ID: "slow", Call: "hang", With: map[string]any{}},
		}}},
		{ID: "poll", Loop: &workflow.Loop{While: "${ iteration < 3 }", Max: 5, Delay: 10 * time.Millisecond,
			Do: &workflow.Step{Call: "read", With: map[string]any{"step": "$iteration"}}}},
	}, Output: "${ len(all.result) + len(poll.result) }"}
	return list
}

// newSet makes the workflows with tools that note each of their runs in a file of the folder. A tool hangs if the folder
// has a file hang-STEP, until that is gone.
func newSet(folder string) (*workflow.Set, error) {
	note := func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		var in struct {
			Step any `json:"step"`
		}
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return toolkit.Result{}, err
		}
		step := fmt.Sprint(in.Step)
		f, err := os.OpenFile(filepath.Join(folder, "ran"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return toolkit.Result{}, err
		}
		defer func() { _ = f.Close() }()
		if _, err := fmt.Fprintf(f, "%s %s %d\n", step, call.ID, os.Getpid()); err != nil {
			return toolkit.Result{}, err
		}
		for {
			if _, err := os.Stat(filepath.Join(folder, "hang-"+step)); errors.Is(err, os.ErrNotExist) {
				return toolkit.Result{Output: string(call.Arguments)}, nil
			}
			select {
			case <-ctx.Done():
				return toolkit.Result{}, context.Cause(ctx)
			case <-time.After(20 * time.Millisecond): // the file is on disk, for several processes
			}
		}
	}
	hang := func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		<-ctx.Done()
		return toolkit.Result{}, context.Cause(ctx)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(
		toolkit.ToolFunc(toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes}, note),
		toolkit.ToolFunc(toolkit.Definition{Name: "write"}, note),
		toolkit.ToolFunc(toolkit.Definition{Name: "pay", RequiresApproval: true}, note),
		toolkit.ToolFunc(toolkit.Definition{Name: "hang", ReadOnly: toolkit.Yes}, hang),
	); err != nil {
		return nil, err
	}
	policy, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}, Defer: true, WorkDir: "/"})
	if err != nil {
		return nil, err
	}
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{policy}})
	if err != nil {
		return nil, err
	}
	return workflow.New(workflow.Options{
		Handler: scope.WrapRegistry(registry), Tools: registry, Scope: scope, Definitions: definitions(),
	})
}

func newEngine(address, namespace, variable, folder string) (*temporal.Engine, *temporal.Client, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := temporal.Dial(ctx, temporal.DialOptions{
		Options: client.Options{HostPort: address, Namespace: namespace, Identity: "e2e"}, KeyVariable: variable,
	})
	if err != nil {
		return nil, nil, err
	}
	set, err := newSet(folder)
	if err != nil {
		return nil, nil, err
	}
	engine, err := temporal.New(temporal.Options{Client: c, Set: set})
	return engine, c, err
}

// work is a worker's process. It ends when it is killed, or its input does.
func work() error {
	engine, c, err := newEngine(os.Getenv(envAddress), os.Getenv(envNamespace), envKeys, os.Getenv(envFolder))
	if err != nil {
		return err
	}
	defer c.Close()
	w := engine.NewWorker()
	if err := w.Start(); err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
	w.Stop()
	return nil
}

// A house is a server, an engine that starts runs, and a folder that tools write to.
type house struct {
	*temporal.Engine
	client  *temporal.Client
	folder  string
	environ []string
}

var server = sync.OnceValue(func() *temporaltest.TestServer { return temporaltest.NewServer() })

func newHouse(t *testing.T) *house {
	t.Helper()
	s := server()
	secret := make([]byte, 32)
	if *record != "" {
		copy(secret, "the key of recorded histories...") // workflow/temporal has it as well
	} else if _, err := rand.Read(secret); err != nil {
		t.Fatal(err)
	}
	keys := base64.StdEncoding.EncodeToString(secret)
	t.Setenv(envKeys, keys)
	h := &house{folder: t.TempDir()}
	var err error
	h.Engine, h.client, err = newEngine(s.GetFrontendHostPort(), s.GetDefaultNamespace(), envKeys, h.folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.client.Close)
	h.environ = append(os.Environ(), envAddress+"="+s.GetFrontendHostPort(), envNamespace+"="+s.GetDefaultNamespace(),
		envFolder+"="+h.folder)
	return h
}

// worker starts a worker's process.
func (h *house) worker(t *testing.T) *os.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = h.environ, os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out) // the SDK's log is there as well
	for lines.Scan() {
		if lines.Text() == "ready" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return cmd.Process
		}
	}
	t.Fatalf("the worker ended: %v", lines.Err())
	return nil
}

// ran are the lines of the file that tools write to.
func (h *house) ran() []string {
	text, _ := os.ReadFile(filepath.Join(h.folder, "ran"))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// until waits until a step has begun.
func (h *house) until(t *testing.T, step string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // other processes write
		for _, line := range h.ran() {
			if strings.HasPrefix(line, step+" ") {
				return
			}
		}
	}
	t.Fatalf("the step %s did not begin: %q", step, h.ran())
}

func (h *house) steps() (steps []string) {
	for _, line := range h.ran() {
		step, _, _ := strings.Cut(line, " ")
		steps = append(steps, step)
	}
	return steps
}

func (h *house) hang(t *testing.T, step string) (release func()) {
	t.Helper()
	file := filepath.Join(h.folder, "hang-"+step)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() { _ = os.Remove(file) }
}

// history is the history of a run as JSON. It must not contain the secret.
func (h *house) history(t *testing.T, run, name string, secrets ...string) {
	t.Helper()
	events := h.client.GetWorkflowHistory(t.Context(), run, "", false, 0)
	history := new(historypb.History)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		history.Events = append(history.Events, event)
	}
	raw, err := (protojson.MarshalOptions{Indent: " "}).Marshal(history)
	if err != nil {
		t.Fatal(err)
	}
	plain := history.String() + string(raw)
	for _, secret := range secrets {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))[:len(secret)]} {
			if strings.Contains(plain, form) {
				t.Errorf("the history of %s contains %q", name, form)
			}
		}
	}
	if *record == "" {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte(`"`+host+`:`), []byte(`"worker:`)) // names of workers' own queues have it
	if err := os.WriteFile(filepath.Join(*record, "server_"+name+".json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func newSecret() string { return rand.Text() }

// A worker is killed in step 2 of 3; another one goes on. A tool that only reads is called again.
func TestAnotherWorkerGoesOn(t *testing.T) {
	h, secret := newHouse(t), newSecret()
	first := h.worker(t)
	release := h.hang(t, "two")
	run, err := h.Start(t.Context(), "three_read", []byte(`{"note": "`+secret+`"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	h.until(t, "two")
	killed := time.Now()
	if err := first.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	release()
	h.worker(t)
	r := h.Wait(t.Context(), run)
	t.Logf("the run ended %v after the kill", time.Since(killed).Round(100*time.Millisecond))
	if r.Err != nil || !strings.Contains(fmt.Sprint(r.Output), "three") {
		t.Fatalf("got %v, %v", r.Output, r.Err)
	}
	if got := strings.Join(h.steps(), " "); got != "one two two three" {
		t.Errorf("ran: got %q", h.ran())
	}
	lines := h.ran()
	if a, b := strings.Fields(lines[1]), strings.Fields(lines[2]); a[1] != b[1] || a[1] != run+"/two" || a[2] == b[2] {
		t.Errorf("got %q and %q, want the same id in two processes", lines[1], lines[2])
	}
	h.history(t, run, "killed_read", secret)
}

// The same with a tool that may write: it is not called again, and what was done before is undone.
func TestAWriteIsNotRepeated(t *testing.T) {
	h, secret := newHouse(t), newSecret()
	first := h.worker(t)
	release := h.hang(t, "two")
	run, err := h.Start(t.Context(), "saga", []byte(`{"note": "`+secret+`"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	h.until(t, "two")
	killed := time.Now()
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	release()
	h.worker(t)
	r := h.Wait(t.Context(), run)
	t.Logf("the run ended %v after the kill: %v", time.Since(killed).Round(100*time.Millisecond), r.Err)
	if r.Err == nil || !errors.Is(r.Err, toolkit.ErrTimeout) || !strings.Contains(r.Err.Error(), "may or may not have taken effect") ||
		!strings.HasSuffix(r.Err.Error(), "; undone: one") || r.Run.FailedStep != "two" {
		t.Errorf("got %v, %+v", r.Err, r.Run)
	}
	if got := strings.Join(h.steps(), " "); got != "one two undo_one" {
		t.Errorf("ran: got %q", h.ran())
	}
	h.history(t, run, "killed_write", secret)
}

// A call waits for approval while no worker is there; another worker makes it, once.
func TestAnApprovalOutlivesItsWorker(t *testing.T) {
	h, secret := newHouse(t), newSecret()
	first := h.worker(t)
	run, err := h.Start(t.Context(), "asks", []byte(`{"note": "`+secret+`"}`), "order-1-"+strings.ToLower(newSecret()))
	if err != nil {
		t.Fatal(err)
	}
	waiting := h.waiting(t, run)
	if waiting.Call != run+"/two" || !strings.Contains(string(waiting.Arguments), secret) {
		t.Fatalf("got %+v", waiting)
	}
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	h.worker(t)
	wrong := temporal.Decision{Call: waiting.Call, Digest: strings.Repeat("0", 64), Approved: true, By: "kim"}
	if err := h.Decide(t.Context(), run, wrong); !errors.Is(err, temporal.ErrNotWaiting) {
		t.Errorf("another digest: got %v", err)
	}
	if err := h.client.SignalWorkflow(t.Context(), run, "", "unknown", "x"); err != nil {
		t.Fatal(err)
	}
	right := temporal.Decision{Call: waiting.Call, Digest: waiting.Digest, Approved: true, By: "kim"}
	if err := h.Decide(t.Context(), run, right); err != nil {
		t.Fatal(err)
	}
	r := h.Wait(t.Context(), run)
	if got := strings.Join(h.steps(), " "); r.Err != nil || got != "one two three" {
		t.Errorf("got %v, %q", r.Err, h.ran())
	}
	if again, err := h.Start(t.Context(), "asks", []byte(`{"note": "x"}`), run); err != nil || again != run || len(h.ran()) != 3 {
		t.Errorf("a second start: got %s, %v, %q", again, err, h.ran())
	}
	h.history(t, run, "approved", secret, "kim")
}

func (h *house) waiting(t *testing.T, run string) temporal.Waiting {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) { // a worker answers
		list, err := h.Waiting(t.Context(), run)
		if err == nil && len(list) == 1 {
			return list[0]
		}
	}
	t.Fatal("no call waits")
	return temporal.Waiting{}
}

// Branches, lists and loops, how long a step takes, and a run that is cancelled.
func TestStepsAndCancellation(t *testing.T) {
	h := newHouse(t)
	h.worker(t)
	start := time.Now()
	r := h.Run(t.Context(), "wide", nil)
	if r.Err != nil || r.Output != 23 {
		t.Errorf("got %v, %v", r.Output, r.Err)
	}
	t.Logf("%d calls in %v", r.Run.Calls, time.Since(start).Round(time.Millisecond))
	h.history(t, r.Run.ID, "wide")
	start = time.Now()
	if r := h.Run(t.Context(), "three_write", []byte(`{"note": "x"}`)); r.Err != nil {
		t.Error(r.Err)
	}
	t.Logf("3 steps in %v", time.Since(start).Round(time.Millisecond))

	h.hang(t, "two")
	if err := os.Remove(filepath.Join(h.folder, "ran")); err != nil {
		t.Fatal(err)
	}
	run, err := h.Start(t.Context(), "saga", []byte(`{"note": "x"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	h.until(t, "two")
	if err := h.client.CancelWorkflow(t.Context(), run, ""); err != nil {
		t.Fatal(err)
	}
	r = h.Wait(t.Context(), run)
	if !errors.Is(r.Err, toolkit.ErrCanceled) || !strings.HasSuffix(r.Err.Error(), "; undone: one") {
		t.Errorf("got %v", r.Err)
	}
	h.history(t, run, "canceled")
}
