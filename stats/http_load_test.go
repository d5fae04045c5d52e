// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// While calls are recorded, readers ask for everything and clients of streams read
// nothing: counts stay exact, and everybody is answered or dropped.
func TestReadersUnderLoad(t *testing.T) {
	r := newRecorder(t)
	server := httptest.NewServer(handlerOf(t, r, WithRefresh(100*time.Millisecond)))
	tools := []*toolkit.Definition{{Name: "a"}, {Name: "b"}, {Name: hostileName}}
	var writers, readers sync.WaitGroup
	const goroutines, each = 4, 2000
	for g := range goroutines {
		writers.Go(func() {
			for i := range each {
				e := call(tools[i%len(tools)], time.Duration(i)*time.Microsecond, in("s", i), sampled(byte(i)))
				if i%20 == g {
					failing("tool_error", "number 12345 failed")(e)
				}
				record(r, e)
			}
		})
	}
	for range 3 { // ask for a stream and read nothing
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	for path := range resources {
		if path == "metrics" || path == "api/v1/stream" {
			continue
		}
		target := server.URL + "/" + path
		switch path {
		case "api/v1/tools/*", "api/v1/tools/*/histogram":
			target = server.URL + "/api/v1/tools/other" + path[len("api/v1/tools/*"):]
		case "api/v1/calls/*":
			target = server.URL + "/api/v1/calls/1"
		}
		readers.Go(func() {
			for {
				answer, err := http.Get(target)
				if err != nil {
					t.Errorf("%s: %v", target, err)
					return
				}
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					t.Errorf("%s: %v", target, err)
				}
				answer.Body.Close()
				// A call may have left the ring, and a turn may not come in time.
				if s := answer.StatusCode; s != 200 && s != 503 && !(s == 404 && path == "api/v1/calls/*") {
					t.Errorf("%s: got %d", target, s)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	server.CloseClientConnections()
	server.Close()
	s := r.Summary(Window{})
	if s.Overall.Calls != goroutines*each || s.Overall.Errors != goroutines*each/20 || s.Overall.InFlight != 0 {
		t.Errorf("got %d calls, %d errors, %d in flight; want %d, %d, 0", s.Overall.Calls, s.Overall.Errors, s.Overall.InFlight, goroutines*each, goroutines*each/20)
	}
}

// BenchmarkRecordBesideReaders tells how long recording a call takes at 10,000 calls
// a second, alone and beside 20 readers of the dashboard and the API.
func BenchmarkRecordBesideReaders(b *testing.B) {
	for _, readers := range []int{0, 20} {
		b.Run(strconv.Itoa(readers)+" readers", func(b *testing.B) {
			r := newRecorder(b)
			h := handlerOf(b, r)
			stop := make(chan struct{})
			var all sync.WaitGroup
			for i := range readers {
				target := []string{"/", "/api/v1/summary", "/api/v1/tools", "/api/v1/snapshot", "/api/v1/calls"}[i%5]
				all.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							ask(h, target)
						}
					}
				})
			}
			tool := &toolkit.Definition{Name: "search"}
			var took []time.Duration
			next := time.Now()
			for b.Loop() {
				next = next.Add(100 * time.Microsecond)
				for time.Now().Before(next) {
					runtime.Gosched()
				}
				e := call(tool, time.Millisecond, in("s", 1))
				begun := time.Now()
				record(r, e)
				took = append(took, time.Since(begun))
			}
			close(stop)
			all.Wait()
			slices.Sort(took)
			for _, q := range []float64{0.5, 0.99} {
				b.ReportMetric(float64(took[int(q*float64(len(took)-1))]), "ns-p"+strconv.Itoa(int(q*100)))
			}
		})
	}
}
