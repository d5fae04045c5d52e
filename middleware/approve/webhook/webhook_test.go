// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/approve/webhook"
	"github.com/toolscope/toolscope/toolkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Example is a chat program that shows calls that wait, and approves them over the API with a token of its own.
func Example() {
	secret := []byte(rand.Text())
	approvals := make(chan webhook.Event, 10)
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want := webhook.Sign(secret, r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body)
		if !hmac.Equal([]byte(want), []byte(r.Header.Get("Webhook-Signature"))) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var e webhook.Event
		if json.Unmarshal(body, &e) == nil {
			approvals <- e
		}
	}))
	defer chat.Close()
	hook, err := webhook.New(webhook.Options{URL: chat.URL, Secret: secret, Page: "https://tools.example/approvals"})
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := approve.New(approve.Options{Tell: hook.Tell})
	if err != nil {
		fmt.Println(err)
		return
	}
	token := rand.Text()
	api, err := approve.NewHandler(policy, "chat "+token)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(api)
	defer server.Close()

	ran := make(chan struct{})
	pay := policy.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { close(ran); return toolkit.Result{}, nil })
	tool := toolkit.Definition{Name: "pay", RequiresApproval: true}
	handle := toolkit.Observe(func(string) *toolkit.Definition { return &tool }, quiet{})(pay)
	go func() {
		_, _ = handle(context.Background(), toolkit.Call{Name: "pay", Arguments: []byte(`{"to":"ada"}`)})
	}()

	e := <-approvals
	fmt.Println(e.Text)
	answer := fmt.Sprintf(`{"approve":true,"digest":%q,"note":"asked in the channel"}`, e.Data.Digest)
	r, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL+"/api/v1/approvals/"+e.Data.ID,
		strings.NewReader(answer))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	if response, err := server.Client().Do(r); err == nil {
		response.Body.Close()
	}
	<-ran
	fmt.Println((<-approvals).Text)
	// Output:
	// pay: pending {"to":"ada"}
	// pay: approved {"to":"ada"} by chat
}

// quiet observes nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

func TestDelivery(t *testing.T) {
	for _, c := range []struct {
		name     string
		statuses []int
		asked    int64
		err      string
	}{
		{"at once", []int{204}, 1, ""}, {"at the second attempt", []int{503, 200}, 2, ""}, {"refused", []int{401}, 1, "401"},
		{"a redirect", []int{302}, 1, "302"},
	} {
		t.Run(c.name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { deliver(t, c.statuses, c.asked, c.err) }) })
	}
}

// inProcess answers requests without a network, so that a bubble's clock goes on.
type inProcess http.HandlerFunc

func (f inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	f(w, r)
	return w.Result(), nil
}

func deliver(t *testing.T, statuses []int, requests int64, wrong string) {
	const address = "https://chat.example/hook"
	var asked atomic.Int64
	got, failed := make(chan string, 10), make(chan error, 10)
	chat := inProcess(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		w.WriteHeader(statuses[n-1])
		if statuses[n-1] < 300 {
			got <- r.Header.Get("Webhook-Id")
		}
	})
	hook, err := webhook.New(webhook.Options{URL: address, Secret: []byte(rand.Text()),
		OnError: func(err error) { failed <- err; panic("host") },
		Client: &http.Client{Transport: chat,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}})
	if err != nil {
		t.Fatal(err)
	}
	hook.Tell(approve.Decision{Request: approve.Request{ID: "r1"}, State: approve.Pending})
	select {
	case id := <-got:
		if wrong != "" || !strings.HasPrefix(id, "r1.pending.") {
			t.Errorf("got the event %q", id)
		}
	case err := <-failed:
		if wrong == "" || !strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), address) {
			t.Errorf("got %v, want %q", err, wrong)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing happened")
	}
	if asked.Load() != requests {
		t.Errorf("got %d requests, want %d", asked.Load(), requests)
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	for want, o := range map[string]webhook.Options{
		"Options.URL":           {URL: "ftp://x", Secret: make([]byte, 16)},
		"Options.Secret: got 3": {URL: "https://x.example", Secret: make([]byte, 3)},
	} {
		if _, err := webhook.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
