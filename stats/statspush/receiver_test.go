// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspush

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/stats"
)

// request sends a push, or what is to be refused, straight to a receiver.
func request(x *Receiver, token, id, sequence string, body []byte) int {
	r := httptest.NewRequest(http.MethodPut, path+"/"+id, bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set(headerSequence, sequence)
	w := httptest.NewRecorder()
	x.ServeHTTP(w, r)
	return w.Code
}

func zipped(t testing.TB, s *stats.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newReceiver(t testing.TB) (*Receiver, *stats.Recorder, string) {
	t.Helper()
	r, token := newRecorder(t, stats.Options{}), rand.Text()
	x, err := NewReceiver(r, token)
	if err != nil {
		t.Fatal(err)
	}
	return x, r, token
}

func TestHostilePushes(t *testing.T) {
	x, r, token := newReceiver(t)
	id := rand.Text()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = io.CopyN(z, zeros{}, 80<<20)
	_ = z.Close()
	for name, test := range map[string]struct {
		token, id, sequence string
		body                []byte
		want                int
	}{
		"token":      {"wrong", id, "1", nil, 401},
		"no token":   {"", id, "1", nil, 401},
		"id":         {token, "short", "1", nil, 400},
		"id's bytes": {token, "a.b-c-d-e-f-g-h-i", "1", nil, 400},
		"sequence":   {token, id, "0", nil, 400},
		"no number":  {token, id, "x", nil, 400},
		"no gzip":    {token, id, "1", []byte("{}"), 400},
		"no JSON":    {token, id, "1", zipped(t, nil), 400},
		"bomb":       {token, id, "1", bomb.Bytes(), 400},
		"unknown":    {token, id, "7", zipped(t, r.Snapshot(stats.Window{})), 409},
	} {
		if got := request(x, test.token, test.id, test.sequence, test.body); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
	large := httptest.NewRequest(http.MethodPut, path+"/"+id, strings.NewReader(strings.Repeat(" ", 3<<20)))
	large.Header.Set("Authorization", "Bearer "+token)
	large.Header.Set(headerSequence, "1")
	w := httptest.NewRecorder()
	if x.ServeHTTP(w, large); w.Code != 413 {
		t.Errorf("3 MiB: got %d, want 413", w.Code)
	}
	c := x.Components()[0]
	if c.Figures[0].Value != 0 {
		t.Errorf("got %+v, want no instance", c)
	}
	if refused := c.Figures[len(c.Figures)-1]; refused.Name != "refused" || refused.Value != 11 {
		t.Errorf("got %+v, want 11 pushes refused, with those that had a wrong token", refused)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// The number of instances is bounded: silent ones make room, others do not.
func TestInstancesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r, token := newReceiver(t)
		process := newRecorder(t, stats.Options{})
		calls(process, 1, 1)
		body := zipped(t, process.Snapshot(stats.Window{}))
		push := func(i int, sequence string) int {
			return request(x, token, fmt.Sprintf("instance%08d", i), sequence, body)
		}
		for i := range maxInstances {
			if got := push(i, "1"); got != 204 {
				t.Fatalf("push %d: got %d", i, got)
			}
		}
		if got := push(maxInstances, "1"); got != 503 {
			t.Errorf("one more: got %d, want 503", got)
		}
		if len(x.Components()[0].Problems) != 1 {
			t.Error("Components: got no problem")
		}
		time.Sleep(11 * time.Minute)
		push(0, "2") // is not silent
		if got := push(maxInstances, "1"); got != 204 {
			t.Errorf("after eleven minutes: got %d, want 204", got)
		}
		if got := push(0, "3"); got != 204 {
			t.Errorf("the one that was not silent: got %d, want 204", got)
		}
		if n := r.Summary(stats.Window{}).Overall.Executed; n != maxInstances+1 {
			t.Errorf("got %d calls, want %d", n, maxInstances+1)
		}
	})
}

func TestInstancesAreListed(t *testing.T) {
	f, r := newFleet(t), newRecorder(t, stats.Options{})
	p := f.push(t, r)
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := func() (got struct {
		Ended     int
		Instances []instanceView
	}) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("anyone", f.token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := list(); len(got.Instances) != 1 || got.Instances[0].Pushes != 1 || got.Ended != 0 {
		t.Errorf("got %+v, want one instance", got)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := list(); len(got.Instances) != 0 || got.Ended != 1 {
		t.Errorf("got %+v, want an ended one", got)
	}
}
