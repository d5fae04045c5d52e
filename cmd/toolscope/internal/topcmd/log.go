// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package topcmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"

	calls "github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/linefile"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// callLog shows a call log, and what is appended to it. It is safe for concurrent use.
type callLog struct {
	name string
	once bool // the log is read once: what is behind its last line's end never will be

	mu     sync.Mutex
	file   *os.File
	lines  *linefile.Lines
	counts logfile.Counts
	log    *calllog.Log
	calls  []ringCall // a ring of the latest ones
	last   uint64     // how many calls there were
	loops  map[loopKey]*stats.Loop
	seed   maphash.Seed
	again  int // how often the log was replaced

	pending map[string]calls.Record // calls that have begun, by their id in the log
	peers   string                  // who takes part, of the latest session
	frames  frameRing
}

// ringCall is a call, whose texts are redacted when it is first shown.
type ringCall struct {
	call  top.Call
	clean bool
}

// loopKey identifies equal calls of a session.
type loopKey struct {
	session, tool string
	arguments     uint64
}

// maxLogLoops limits what is kept of a log in addition to what [calllog.Log] keeps.
const maxLogLoops = 8192

func openLog(name string) (*callLog, error) {
	paths, err := recordings.Paths(name)
	if err != nil {
		return nil, err
	}
	t := &callLog{name: paths[len(paths)-1]}
	return t, t.begin()
}

// begin opens the log and forgets what was read of it.
func (t *callLog) begin() error {
	info, err := os.Stat(t.name)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return fmt.Errorf("--log: %s is a %v, want a file", t.name, info.Mode().Type())
	}
	file, err := os.Open(t.name)
	if err != nil {
		return err
	}
	t.shut()
	t.file, t.lines = file, logfile.NewLines(file)
	t.counts, t.log, t.calls, t.last = logfile.Counts{}, calllog.New(nil), nil, 0
	t.loops, t.seed = make(map[loopKey]*stats.Loop), maphash.MakeSeed()
	t.pending, t.peers, t.frames = map[string]calls.Record{}, "", frameRing{}
	t.log.KeepTimeline()
	return nil
}

func (t *callLog) shut() {
	if t.file != nil {
		_ = t.file.Close()
	}
}

// close closes the log, after a State that is still being read.
func (t *callLog) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut()
}

// State reads what was appended since the last time.
func (t *callLog) State(ctx context.Context, _ string) (*top.State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.follow(); err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.counts.Next(t.lines, t); err == io.EOF {
			if t.once {
				t.counts.AddRest(t.lines, t)
			}
			return t.state(), nil
		} else if err != nil {
			return nil, err
		}
	}
}

// follow starts over where the file was replaced, or is shorter than what was read.
func (t *callLog) follow() error {
	now, err := os.Stat(t.name)
	if err != nil {
		return err
	}
	was, err := t.file.Stat()
	if err != nil {
		return err
	}
	if os.SameFile(was, now) && now.Size() >= t.lines.BytesRead() {
		return nil
	}
	t.again++
	return t.begin()
}

// maxPending is how many calls without an end are kept.
const maxPending = 4096

// AddOther adds a line that is no call's end: a call has begun, or a session.
func (t *callLog) AddOther(line []byte) {
	t.frames.addLine(line)
	record, _ := calllog.RecordOf(line)
	if record != calls.RecordBegin && record != calls.RecordSession {
		return
	}
	r, err := calls.ReadRecord(line)
	switch {
	case err != nil:
	case record == calls.RecordSession:
		t.peers = peersText(&r)
	case r.Call != "" && len(t.pending) < maxPending:
		t.pending[r.Call] = r
	}
}

// peersText says who takes part in a session, and what they can do.
func peersText(r *calls.Record) string {
	var sides []string
	for _, side := range []struct {
		name string
		peer *calls.Peer
	}{{"client", r.Client}, {"server", r.Peer}} {
		if side.peer == nil {
			continue
		}
		text := side.name + " " + display.Clip(side.peer.Name, 60)
		if len(side.peer.Capabilities) > 0 {
			text += " (" + display.Clip(strings.Join(side.peer.Capabilities, ", "), 120) + ")"
		}
		sides = append(sides, text)
	}
	return strings.Join(sides, ", ")
}

// running are the calls that have begun and have no end, the one running for longest first.
func (t *callLog) running(now time.Time) []top.Running {
	running := []top.Running{}
	id := uint64(0)
	for _, r := range t.pending {
		redactor := redact.Default().ForTool(r.Tool)
		arguments, _ := redactor.JSONMax(r.Arguments, shownText)
		session, _ := redact.Default().TextMax(r.Session, 128)
		running = append(running, top.Running{RunningCall: stats.RunningCall{
			Tool: r.Tool, Start: r.Time, RunningMs: float64(max(0, now.Sub(r.Time)).Microseconds()) / 1000,
			Arguments: string(arguments), BytesIn: len(r.Arguments), Session: session, Agent: r.Agent,
		}})
	}
	slices.SortFunc(running, func(a, b top.Running) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Tool, b.Tool)) })
	for i := range running {
		id++
		running[i].ID = id
	}
	return running
}

// AddLine adds a line.
func (t *callLog) AddLine(line []byte) error {
	c, err := calllog.Read(line)
	if err != nil {
		return err
	}
	t.frames.addLine(line)
	t.log.AddCall(&c)
	t.last++
	t.countLoop(&c)
	delete(t.pending, c.Call)
	ms := float64(c.Duration) / 1e6
	call := top.Call{
		Key: fmt.Sprint(t.last),
		RecentCall: stats.RecentCall{
			ID: t.last, Tool: c.Tool, Outcome: c.Outcome.String(),
			ErrorType: c.ErrorType, Error: c.Error, ErrorGroup: t.log.LastErrorGroup(),
			Session: c.Session, Agent: c.Agent, Turn: c.Turn,
			DurationMs: ms, RunMs: ms, TraceID: c.TraceID, SpanID: c.SpanID,
		},
		Content: top.Content{Arguments: string(c.Arguments), Result: c.ResultText()},
	}
	setWaits(&call, line)
	if !c.End.IsZero() {
		call.Time = c.End.Add(-time.Duration(call.DurationMs * float64(time.Millisecond)))
	}
	if len(t.calls) < maxCalls {
		t.calls = append(t.calls, ringCall{call: call})
	} else {
		t.calls[(t.last-1)%maxCalls] = ringCall{call: call}
	}
	return nil
}

// setWaits sets what a call waited for, which is no time of the server's.
func setWaits(call *top.Call, line []byte) {
	if !bytes.Contains(line, []byte(`_us":`)) || !bytes.HasPrefix(line, []byte(`{"v":1,`)) {
		return
	}
	r, err := calls.ReadRecord(line)
	if err != nil {
		return
	}
	for _, wait := range []struct {
		to *float64
		us *float64
	}{{&call.QueueMs, r.Queue}, {&call.ApprovalMs, r.Approval}, {&call.BackoffMs, r.Backoff}} {
		if wait.us != nil {
			*wait.to = *wait.us / 1000
			call.DurationMs += *wait.to
		}
	}
	if call.Outcome == toolkit.OutcomeRefused.String() { // whose duration is that of its waits
		call.DurationMs -= call.QueueMs + call.ApprovalMs + call.BackoffMs
		call.RunMs = 0
	}
}

// countLoop counts how often a session made a call.
func (t *callLog) countLoop(c *calllog.Call) {
	if c.Session == "" || c.Arguments == nil {
		return
	}
	key := loopKey{c.Session, c.Tool, maphash.Bytes(t.seed, c.Arguments)}
	l := t.loops[key]
	if l == nil {
		if len(t.loops) >= maxLogLoops { // those that did not become loops make room
			for k, old := range t.loops {
				if old.Times < 3 {
					delete(t.loops, k)
				}
			}
			if len(t.loops) >= maxLogLoops {
				return
			}
		}
		l = &stats.Loop{Session: c.Session, Tool: c.Tool, FirstSeen: c.End}
		t.loops[key] = l
	}
	l.Times++
	l.LastSeen = c.End
}

// state is what is known of the log by now.
func (t *callLog) state() *top.State {
	snapshot := t.log.Snapshot()
	s := &top.State{
		At: snapshot.To, Source: t.name, Window: "the whole log", Summary: stats.Summarise(snapshot, nil),
		Trend: make(map[string][]float64), Running: t.running(time.Now()), Sessions: t.log.Sessions(),
		Frames: t.frames.shown(), Peers: t.peers,
	}
	if snapshot.To.Equal(time.Unix(0, 0)) { // a log without times
		s.At = time.Time{}
	}
	s.Trend[""], _ = t.log.Trend("")
	for _, x := range s.Summary.Tools {
		s.Trend[x.Tool], _ = t.log.Trend(x.Tool)
	}
	for i := range t.calls {
		s.Calls = append(s.Calls, t.calls[(t.last-1-uint64(i))%uint64(len(t.calls))].shown())
	}
	for _, l := range t.loops {
		if l.Times > 1 {
			shown := *l
			shown.Session, _ = redact.Default().TextMax(l.Session, 128)
			s.Loops = append(s.Loops, shown)
		}
	}
	slices.SortFunc(s.Loops, func(a, b stats.Loop) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Tool, b.Tool))
	})
	s.Loops = s.Loops[:min(len(s.Loops), maxSessions)]
	if t.counts.Bad > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s of %s lines could not be read, the first is line %d: %s",
			display.Count(t.counts.Bad), display.Count(t.counts.Lines), t.counts.First[0].Line, t.counts.First[0].Reason))
	}
	if t.again > 0 {
		s.Notes = append(
			s.Notes,
			"the log was replaced or cut off "+display.Number(uint64(t.again), "time")+"; it is read from its start",
		)
	}
	return s
}

// shown is a call with its texts redacted: the log's writer may not have done so.
func (r *ringCall) shown() top.Call {
	if r.clean {
		return r.call
	}
	r.clean = true
	c, redactor := &r.call, redact.Default()
	c.Error, _ = redactor.TextMax(c.Error, 1<<10)
	c.Session, _ = redactor.TextMax(c.Session, 128)
	c.Agent, _ = redactor.TextMax(c.Agent, 128)
	redactor = redactor.ForTool(c.Tool)
	arguments, _ := redactor.JSONMax([]byte(c.Arguments), shownText)
	result, _ := redactor.JSONMax([]byte(c.Result), shownText)
	c.Content = top.Content{Arguments: string(arguments), Result: string(result)}
	if c.Content == (top.Content{}) {
		c.Why = "The log has no arguments and no result of this call."
	}
	return *c
}

// Content is never called: calls come with theirs.
func (t *callLog) Content(context.Context, top.Call) (top.Content, error) { return top.Content{}, nil }
