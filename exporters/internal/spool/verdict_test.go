// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

func TestJudge(t *testing.T) {
	throttled := func(c codes.Code, d time.Duration) error {
		s, err := status.New(c, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Errorf("wrapped: %w", s.Err())
	}
	grpc := func(c codes.Code) error { return errors.Join(status.Error(c, "no")) }
	some := errors.New("some error")
	cases := []struct {
		name string
		err  error
		a    answer
		want verdict // without its error
	}{
		{"taken", nil, answer{}, verdict{fate: delivered}},
		{"taken in part", errors.New(partialSuccess + "too old (rejected) (3 spans rejected)"), answer{},
			verdict{fate: delivered, outcome: outcome{partial: 3}}},
		{"taken in part, with a lie", errors.New(partialSuccess + "(9 spans rejected) (-3 spans rejected)"), answer{},
			verdict{fate: delivered}},
		{"a refusal that speaks of partial success", status.Error(codes.InvalidArgument, partialSuccess), answer{},
			verdict{fate: refused}},
		{"no connection", some, answer{}, verdict{fate: retry}},
		{"throttled", throttled(codes.Unavailable, 7*time.Second), answer{}, verdict{fate: retry, wait: 7 * time.Second}},
		{"throttled for a year", throttled(codes.ResourceExhausted, 8760*time.Hour), answer{},
			verdict{fate: retry, wait: maxWait}},
		{"throttled into the past", throttled(codes.ResourceExhausted, -time.Hour), answer{}, verdict{fate: retry}},
		{"an answer that broke off", some, answer{status: 200}, verdict{fate: delivered}},
		{"protobuf", nil, answer{status: 200, media: "application/x-protobuf"}, verdict{fate: delivered}},
		{"JSON", nil, answer{status: 202, media: "application/json"}, verdict{fate: delivered}},
		{"a login page", nil, answer{status: 200, media: "text/html"}, verdict{fate: retry, hold: true}},
		{"a greeting", nil, answer{status: 200, media: "text/plain"}, verdict{fate: retry, hold: true}},
		{"a connection that broke", fmt.Errorf("post: %w", io.ErrUnexpectedEOF), answer{}, verdict{fate: retry, evidence: true}},
		{"a gRPC connection that broke", status.Error(codes.Unavailable, "error reading from server: EOF"), answer{},
			verdict{fate: retry, evidence: true}},
		{"redirect", some, answer{status: 302}, verdict{fate: retry, hold: true}},
		{"too large", some, answer{status: 413}, verdict{fate: refused, tooLarge: true}},
	}
	for c := codes.Code(1); c <= codes.Unauthenticated; c++ {
		want := verdict{fate: refused}
		switch c {
		case codes.Canceled, codes.Aborted, codes.OutOfRange, codes.Unavailable:
			want = verdict{fate: retry}
		case codes.DeadlineExceeded, codes.DataLoss, codes.Internal, codes.Unknown:
			want = verdict{fate: retry, evidence: true}
		case codes.Unauthenticated, codes.PermissionDenied, codes.Unimplemented:
			want = verdict{fate: retry, hold: true}
		case codes.ResourceExhausted:
			want.tooLarge, want.quota = true, true
		}
		cases = append(cases, struct {
			name string
			err  error
			a    answer
			want verdict
		}{c.String(), grpc(c), answer{}, want})
	}
	for _, code := range []int{400, 401, 403, 404, 405, 407, 408, 409, 415, 422, 429, 431, 500, 501, 502, 503, 504, 507} {
		want := verdict{fate: refused}
		switch code {
		case 429, 502, 503, 504, 507:
			want = verdict{fate: retry, wait: 2 * time.Second}
		case 408, 500:
			want = verdict{fate: retry, wait: 2 * time.Second, evidence: true}
		case 501:
			want = verdict{fate: retry, wait: 2 * time.Second, hold: true}
		case 401, 403, 404, 405, 407:
			want = verdict{fate: retry, hold: true}
		}
		cases = append(cases, struct {
			name string
			err  error
			a    answer
			want verdict
		}{fmt.Sprint("HTTP ", code), some, answer{status: code, after: 2 * time.Second}, want})
	}
	for _, c := range cases {
		got := judge(c.err, c.a)
		if got.err == nil && c.want.fate != delivered {
			t.Errorf("%s: got no error", c.name)
		}
		got.err = nil
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "3": 3 * time.Second, " 60 ": time.Minute, "-1": 0,
		"soon": 0, "99999999999": 0,
		"Wed, 21 Oct 2015 07:28:00 GMT": 0} {
		if got := retryAfter(value); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
	if got := retryAfter(time.Now().Add(time.Hour).UTC().Format(
		"Mon, 02 Jan 2006 15:04:05 GMT")); got < 58*time.Minute || got > time.Hour {
		t.Errorf("in an hour: got %v", got)
	}
}

// The pauses double up to the largest, less at most half of it, and start again after a success.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		d := new(destination)
		d.set(func(_ context.Context, names []string) error {
			if len(names) > 0 { // else it is asked whether it works at all
				at = append(at, time.Now())
			}
			return errDown
		})
		s := open(t, t.TempDir(), d, Options{WriteAhead: true, MinBackoff: time.Second, MaxBackoff: 8 * time.Second})
		export(t, s, "a")
		time.Sleep(2 * time.Minute)
		d.mu.Lock()
		d.answer = nil
		d.mu.Unlock()
		if len(at) < 15 {
			t.Fatalf("requests in two minutes: got %d", len(at))
		}
		for i, longest := range []time.Duration{1, 2, 4, 8, 8, 8, 8} {
			pause := at[i+1].Sub(at[i])
			if pause < longest*time.Second/2 || pause > longest*time.Second {
				t.Errorf("pause %d: got %v, want %v to %v", i+1, pause, longest*time.Second/2, longest*time.Second)
			}
		}
		time.Sleep(8 * time.Second)
		d.expect(t, []string{"a"})
		if !s.Stats().FailingSince.IsZero() {
			t.Error("it works again, and Stats says it fails")
		}
	})
}

// A destination that says how long to wait is not asked before, not even by a flush.
func TestThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, err := status.New(codes.ResourceExhausted,
			"busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		d := &destination{answer: func(context.Context, []string) error { return busy.Err() }}
		s := open(t, t.TempDir(), d, Options{})
		export(t, s, "a")
		d.set(nil)
		time.Sleep(30 * time.Second)
		if err := s.Flush(t.Context()); err == nil || d.count() != 1 {
			t.Errorf("Flush: got %v and %d requests, want an error and the one before", err, d.count())
		}
		time.Sleep(31 * time.Second)
		d.expect(t, []string{"a"})
	})
}

func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: down}
		s := open(t, t.TempDir(), d, Options{MinBackoff: time.Hour, MaxBackoff: time.Hour})
		if err := s.Flush(t.Context()); err != nil {
			t.Errorf("with nothing to send: got %v", err)
		}
		export(t, s, "a", "b")
		if err := s.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "2 spans") ||
			!strings.Contains(err.Error(), errDown.Error()) {
			t.Errorf("while it fails: got %v", err)
		}
		d.set(nil)
		if err := s.Flush(t.Context()); err != nil || len(d.names()) != 2 {
			t.Errorf("when it works: got %v and %q", err, d.names())
		}
		d.set(func(ctx context.Context, _ []string) error { <-ctx.Done(); return ctx.Err() })
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		export(t, s, "c")
		if err := s.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while it does not answer: got %v", err)
		}
		d.set(nil)
	})
}

// What a destination refuses is dropped alone, however it was put together with others.
func TestRefusedIsDroppedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: down}
		s := open(t, t.TempDir(), d, Options{})
		names := numbered("span ", 40)
		for _, name := range names {
			export(t, s, name)
		}
		d.set(func(_ context.Context, names []string) error {
			if slices.Contains(names, "span 7") || slices.Contains(names, "span 30") {
				return status.Error(codes.InvalidArgument, "span 7 and span 30 are not liked")
			}
			return nil
		})
		time.Sleep(time.Minute)
		want := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "span 7" || n == "span 30" })
		d.expect(t, want)
		if got := s.Stats(); got.Dropped[DroppedRejected] != 2 || got.Spans != 0 ||
			got.FailingSince != (time.Time{}) || got.LastError == "" {
			t.Errorf("Stats: got %+v", got)
		}
		// At once, the exporter's caller gets an error.
		if err := s.ExportSpans(t.Context(), stubs("span 7")); status.Code(err) != codes.InvalidArgument {
			t.Errorf("ExportSpans: got %v", err)
		}
	})
}

func TestPartialSuccessIsCounted(t *testing.T) {
	d := &destination{answer: func(context.Context,
		[]string) error {
		return errors.New(partialSuccess + "old (2 spans rejected)")
	}}
	s := open(t, t.TempDir(), d, Options{Patience: time.Minute})
	export(t, s, numbered("span ", 5)...)
	if got := s.Stats(); got.Delivered != 3 || got.Dropped[DroppedPartial] != 2 || got.LastError == "" || d.count() != 1 {
		t.Errorf("got %+v after %d requests", got, d.count())
	}
}

// What is too large for the destination, but not a single span, is sent in parts.
func TestTooLargeForTheDestination(t *testing.T) {
	d := &destination{answer: func(_ context.Context, names []string) error {
		if len(names) > 10 {
			return status.Error(codes.ResourceExhausted, "message larger than max")
		}
		return nil
	}}
	s := open(t, t.TempDir(), d, quick(Options{WriteAhead: true}))
	names := numbered(strings.Repeat("long ", 4<<10), 64)
	export(t, s, names...)
	d.expect(t, names)
	eventually(t, "it is done", func() bool { return s.Stats().Spans == 0 })
	if got := s.Stats(); got.Delivered != 64 || len(got.Dropped) != 0 {
		t.Errorf("Stats: got %+v", got)
	}
}

// A destination that is out of resources, and not because of our request's size, is not asked
// for each span, and nothing is dropped for it.
func TestOutOfResourcesIsNotAskedMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		d := &destination{answer: func(_ context.Context, names []string) error {
			if len(names) > 0 {
				asked.Add(1)
				return status.Error(codes.ResourceExhausted, "quota")
			}
			return nil
		}}
		s := open(t, t.TempDir(), d, Options{WriteAhead: true, MinBackoff: time.Minute, MaxBackoff: time.Minute})
		names := numbered("span ", 64)
		export(t, s, names...)
		time.Sleep(time.Second)
		if got := s.Stats(); got.Spans != 64 || len(got.Dropped) != 0 || asked.Load() > 2 {
			t.Errorf("got %+v after %d requests, want all kept, after two at most", got, asked.Load())
		}
		d.set(nil)
		time.Sleep(time.Minute)
		d.expect(t, names)
	})
}

// A record at which the destination breaks does not hold up the others for ever.
func TestPoisonIsGivenUp(t *testing.T) {
	for _, poison := range []error{
		status.Error(codes.Unavailable, "error reading from server: EOF"), status.Error(codes.Internal, "panic"),
		status.Error(codes.DeadlineExceeded, "too slow"), fmt.Errorf("post: %w", io.EOF),
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &destination{answer: down}
			s := open(t, t.TempDir(), d, Options{})
			names := numbered("span ", 30)
			for _, name := range names {
				export(t, s, name)
			}
			d.set(func(_ context.Context, names []string) error {
				if slices.Contains(names, "span 0") {
					return poison
				}
				return nil
			})
			time.Sleep(5 * time.Minute)
			d.expect(t, names[1:])
			if got := s.Stats(); got.Dropped[DroppedRejected] != 1 || got.Spans != 0 {
				t.Errorf("%v: Stats: got %+v", poison, got)
			}
		})
	}
}

// Where the failure says nothing of the record, the others go first, and it is kept.
func TestRecordsThatFailWithoutProofAreSentLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: down}
		s := open(t, t.TempDir(), d, Options{})
		names := numbered("span ", 30)
		for _, name := range names {
			export(t, s, name)
		}
		d.set(func(_ context.Context, names []string) error {
			if slices.Contains(names, "span 0") || slices.Contains(names, "span 7") {
				return status.Error(codes.Unavailable, "busy")
			}
			return nil
		})
		time.Sleep(5 * time.Minute)
		if got := s.Stats(); len(d.names()) != 28 || got.Spans != 2 || len(got.Dropped) != 0 {
			t.Errorf("got %d taken, %+v", len(d.names()), got)
		}
		d.set(nil)
		time.Sleep(time.Minute)
		if got := s.Stats(); len(d.names()) != 30 || got.Spans != 0 || len(got.Dropped) != 0 {
			t.Errorf("when it takes all: got %d taken, %+v", len(d.names()), got)
		}
	})
}

// A destination that is overloaded most of the time loses nothing.
func TestOverloadIsNotPoison(t *testing.T) {
	for _, share := range []float64{0.8, 0.95} {
		synctest.Test(t, func(t *testing.T) {
			d := &destination{answer: down}
			s := open(t, t.TempDir(), d, Options{})
			var names []string
			for i := range 400 {
				names = append(names, fmt.Sprint("span ", i))
				export(t, s, names[i])
			}
			random := rand.New(rand.NewPCG(1, uint64(share*100)))
			d.set(func(context.Context, []string) error {
				if random.Float64() < share {
					return status.Error(codes.Unavailable, "overloaded")
				}
				return nil
			})
			time.Sleep(12 * time.Hour)
			got := d.names()
			slices.Sort(got)
			slices.Sort(names)
			if !slices.Equal(got, names) || len(s.Stats().Dropped) != 0 {
				t.Errorf("with %v of the requests refused: got %d of %d spans, %+v", share, len(got), len(names), s.Stats())
			}
		})
	}
}

// An endpoint that refuses everything, also a request without spans, is no OTLP endpoint: nothing is
// dropped for it, and what waits arrives once the address is right.
func TestRefusalsOfTheWrongEndpointDropNothing(t *testing.T) {
	for _, refusal := range []error{
		status.Error(codes.InvalidArgument, "what is this"), status.Error(codes.FailedPrecondition, "no"),
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &destination{answer: func(context.Context, []string) error { return refusal }}
			s := open(t, t.TempDir(), d, Options{})
			names := numbered("span ", 40)
			for _, name := range names {
				export(t, s, name)
			}
			time.Sleep(time.Hour)
			if got := s.Stats(); got.Spans != 40 || len(got.Dropped) != 0 || got.FailingSince.IsZero() {
				t.Errorf("%v: got %+v", refusal, got)
			}
			d.set(nil)
			time.Sleep(time.Minute)
			d.expect(t, names)
		})
	}
}

// A destination far away is sent several requests at the same time: a backlog of 16,384 spans at
// 200 ms a round trip takes less than an eighth of the time of one request after the other.
func TestDistantDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batches, roundTrip = 128, 200 * time.Millisecond
		dir, d := t.TempDir(), &destination{answer: down}
		s, err := New(dir, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range batches {
			export(t, s, numbered(fmt.Sprintf("%d/", i), maxMerged)...)
		}
		shut(t, s)
		most, now := 0, 0
		d = &destination{}
		d.set(func(context.Context, []string) error {
			d.mu.Lock()
			now++
			most = max(most, now)
			d.mu.Unlock()
			time.Sleep(roundTrip)
			d.mu.Lock()
			now--
			d.mu.Unlock()
			return nil
		})
		start := time.Now()
		s = open(t, dir, d, Options{})
		if err := s.Flush(t.Context()); err != nil {
			t.Errorf("Flush: %v", err)
		}
		if took, serial := time.Since(start), batches*roundTrip; took > serial/8 || most > maxWidth {
			t.Errorf("took %v with %d requests at the same time, want at most %v and %d", took, most, serial/8, maxWidth)
		}
		got := d.names()
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != batches*maxMerged || len(d.names()) != n {
			t.Errorf("got %d spans, %d of them different, want %d", len(d.names()), n, batches*maxMerged)
		}
	})
}

// A shutdown asks once more, also while the next request is not due for long.
func TestShutdownMakesOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: down}
		s, err := New(t.TempDir(), d, Options{MinBackoff: time.Hour, MaxBackoff: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		names := numbered("span ", 40)
		for _, name := range names {
			export(t, s, name)
		}
		d.set(nil)
		shut(t, s)
		d.expect(t, names)

		d = &destination{answer: down}
		if s, err = New(t.TempDir(), d, Options{MinBackoff: time.Hour, MaxBackoff: time.Hour}); err != nil {
			t.Fatal(err)
		}
		export(t, s, names...)
		before := d.count()
		shut(t, s)
		if got := s.Stats(); got.Spans != 40 || got.Bytes == 0 || d.count() != before+1 {
			t.Errorf("while it is down: got %+v and %d requests, want what is left on disk, and one request more", got,
				d.count()-before)
		}
	})
}

// In an outage nothing is given up, however long it takes, and the order stays.
func TestOutageBlamesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: down}
		s := open(t, t.TempDir(), d, Options{})
		names := numbered("span ", 30)
		for _, name := range names {
			export(t, s, name)
			time.Sleep(time.Duration(rand.IntN(20)) * time.Minute)
		}
		d.set(nil)
		time.Sleep(time.Minute)
		d.expect(t, names)
	})
}

// Credentials that are put right lose nothing.
func TestUnknownCredentialsKeepWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: func(context.Context,
			[]string) error {
			return status.Error(codes.Unauthenticated, "token expired")
		}}
		s := open(t, t.TempDir(), d, Options{})
		export(t, s, "a")
		export(t, s, "b")
		time.Sleep(time.Hour)
		if got := s.Stats(); got.Spans != 2 || len(got.Dropped) != 0 || d.count() > 2*2*60*2+3 {
			t.Errorf("after an hour: got %+v and %d requests", got, d.count())
		}
		d.set(nil)
		time.Sleep(time.Minute)
		d.expect(t, []string{"a", "b"})
	})
}

func TestClientThatPanics(t *testing.T) {
	panics := true
	d := &destination{answer: func(context.Context, []string) error {
		if panics {
			panics = false
			panic("a client's")
		}
		return nil
	}}
	s := open(t, t.TempDir(), d, quick(Options{}))
	export(t, s, "a")
	d.expect(t, []string{"a"})
}

// A client that does not even heed its context is reported.
func TestClientThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		d := &destination{answer: func(context.Context, []string) error { <-free; return nil }}
		s := open(t, t.TempDir(), d, Options{})
		export(t, s, "a")
		export(t, s, "b")
		time.Sleep(time.Minute)
		if got := s.Stats(); got.FailingSince.IsZero() || !got.HealthySince.IsZero() || got.LastError == "" || got.Spans != 2 {
			t.Errorf("Stats: got %+v", got)
		}
		close(free)
		time.Sleep(time.Minute)
		d.expect(t, []string{"a", "b"})
	})
}
