// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

const (
	lookEvery  = 250 * time.Millisecond // how often a process asks whether its requests were answered elsewhere
	closedKeep = 5 * time.Minute        // for how long others see that a request is closed
	expiryRoom = time.Second            // a request expires here later than elsewhere, so that no answer is lost
)

// ErrAway says that requests, which several processes share, cannot be read or changed now. Whether an answer counts is
// then not known.
var ErrAway = errors.New("approve: the requests that processes share cannot be reached")

// record is a request as processes share it: what a person has to see, and what became of it. The store seals it.
type record struct {
	Request   Request
	Tool      string `json:",omitempty"` // as it is, not redacted
	Session   *toolkit.Session
	Content   []byte `json:",omitempty"` // the arguments as they are; none once it is closed
	Call      string `json:",omitempty"`
	People    int
	Deferred  bool
	State     State
	By, Note  string   `json:",omitempty"`
	Approvers []string `json:",omitempty"`
	Decided   time.Time

	revision uint64
}

// name is different for each call that an approval is for.
func (k grantKey) name() string {
	return strconv.Quote(k.owner.Tenant) + strconv.Quote(k.owner.Session) + k.digest
}

// record is the open request, for other processes.
func (p *pending) record() record {
	r := record{Request: p.Request, Tool: p.tool, Session: p.session, Content: p.content.arguments,
		People: p.people, State: Pending, revision: 1}
	if p.deferred && p.exchange == nil { // the answer to an exchange goes to the process that has it
		r.Call, r.Deferred = p.owner.name(), true
	}
	return r
}

// kept is the record as it is stored.
func (r *record) kept() (Kept, error) {
	keep := time.Until(r.Request.Expires) + expiryRoom
	if r.State != Pending {
		r.Content, keep = nil, closedKeep
	}
	text, err := json.Marshal(r)
	return Kept{ID: r.Request.ID, Revision: r.revision, Call: r.Call, Closed: r.State != Pending, Text: text,
		Keep: max(keep, time.Millisecond)}, err
}

// pending is the record as a request of this process.
func (p *Policy) pending(r *record) *pending {
	req := &pending{Request: r.Request, tool: r.Tool, session: r.Session, people: r.People, state: r.State}
	if r.State == Pending {
		req.content = &content{arguments: r.Content, tool: r.Tool, redactor: p.options.Redactor, earlier: p.desk.earlierOf(req)}
	}
	return req
}

// readShared returns the shared requests that are not as known; nil is all.
func (p *Policy) readShared(known map[string]uint64) ([]record, error) {
	all, err := p.readKept(known)
	return recordsOf(all), err
}

func (p *Policy) readKept(known map[string]uint64) ([]Kept, error) {
	all, err := p.options.Requests.Read(context.Background(), known)
	if err != nil {
		return nil, p.failed(err)
	}
	p.health.Answered()
	return all, nil
}

func recordsOf(all []Kept) (records []record) {
	for _, k := range all {
		var r record
		if json.Unmarshal(k.Text, &r) == nil && r.Request.ID == k.ID {
			r.revision = k.Revision
			records = append(records, r)
		}
	}
	return records
}

func (p *Policy) failed(err error) error {
	p.health.Failed(err)
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// open makes the request known, here and in all processes. Of a deferred request that is open already, in whichever
// process, it returns the id. An error is [ErrAway]; there is no room if it is nil and id is "".
func (p *Policy) open(ctx context.Context, req *pending) (id string, err error) {
	if p.options.Requests != nil {
		rec := req.record()
		kept, err := rec.kept()
		if err == nil {
			id, err = p.options.Requests.Open(ctx, kept)
		}
		if errors.Is(err, ErrFull) {
			return "", nil
		}
		if err != nil {
			return "", p.failed(err)
		}
		p.health.Answered()
		if id != req.ID {
			return id, nil
		}
		if rec.Deferred { // no caller waits here for the answer
			p.desk.reportOpened(req)
			return id, nil
		}
		req.revision = 1
	}
	opened, room := p.desk.addRequest(req, p.options.MaxPending)
	switch {
	case !room || opened != req:
		p.closeShared(req, Withdrawn)
	case p.options.Requests != nil:
		p.watch()
	}
	if !room {
		return "", nil
	}
	return opened.ID, nil
}

// reportOpened reports a request that this process does not hold.
func (d *desk) reportOpened(req *pending) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reportDecision(Decision{Request: req.closed(), State: Pending})
}

// rejectShared closes the requests of all processes that a stop is for.
func (p *Policy) rejectShared(s *Stop) {
	if p.options.Requests == nil {
		return
	}
	records, _ := p.readShared(nil)
	for i := range records {
		r := &records[i]
		if r.State != Pending || !s.matches(r.Tool, r.Session) {
			continue
		}
		r.State, r.By, r.Note, r.Decided = Rejected, s.By, s.message(), s.At
		r.revision++
		kept, err := r.kept()
		if err == nil {
			_, err = p.options.Requests.Change(context.Background(), kept, nil)
		}
		if err != nil {
			_ = p.failed(err)
			return
		}
	}
}

// watch asks for answers of other processes while requests of this one are open.
func (p *Policy) watch() {
	d := p.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watching || d.by == nil || len(d.open) == 0 {
		return
	}
	d.watching = true
	go d.watch()
}

// watch is [Policy.watch], by the policy that is in force.
func (d *desk) watch() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for range tick.C {
		d.mu.Lock()
		d.expire(time.Now())
		by, known := d.by, make(map[string]uint64, len(d.open))
		for id, req := range d.open {
			if req.revision > 0 {
				known[id] = req.revision
			}
		}
		if by == nil || len(d.open) == 0 {
			d.watching = false
			d.mu.Unlock()
			return
		}
		d.mu.Unlock()
		if len(known) > 0 {
			by.look(known)
		}
	}
}

// look takes in what became of the requests.
func (p *Policy) look(known map[string]uint64) {
	all, err := p.readKept(known)
	if err != nil {
		return
	}
	records := recordsOf(all)
	for i := range records {
		p.desk.takeIn(&records[i], nil)
	}
	for _, k := range all {
		if k.Revision == 0 {
			p.openAgain(k.ID)
		}
	}
}

// openAgain opens a request that the store has lost, as a call waits for its answer. If that fails, the next look tries
// again, until the request expires.
func (p *Policy) openAgain(id string) {
	req := p.desk.openRequest(id)
	if req == nil {
		return
	}
	rec := p.desk.recordOf(req)
	kept, err := rec.kept()
	if err != nil {
		return
	}
	switch got, err := p.options.Requests.Open(context.Background(), kept); {
	case errors.Is(err, ErrFull):
	case err != nil:
		_ = p.failed(err)
	case got == id:
		p.desk.setRevision(req, 1)
		if p.desk.openRequest(id) == nil { // its caller gave up meanwhile
			p.closeShared(req, Withdrawn)
		}
	}
}

// openRequest is the open request of this process with the id; nil if there is none.
func (d *desk) openRequest(id string) *pending {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[id]
}

func (d *desk) setRevision(req *pending, revision uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	req.revision = revision
}

// takeIn makes the request of this process, if it is one, what the shared one is. tell reports it, nil if another process
// did.
func (d *desk) takeIn(r *record, tell func(Decision)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	decision := Decision{r.Request, r.State, r.By, r.Note, r.Decided}
	req := d.open[r.Request.ID]
	switch {
	case req == nil && tell != nil && r.State != Pending:
		d.remember(decision)
	case req != nil && r.State == Pending:
		req.revision, req.ApprovedBy = r.revision, r.Request.ApprovedBy
	case req != nil:
		req.revision = r.revision
		req.ApprovedBy = r.Request.ApprovedBy
		if r.State == Approved {
			d.keepEarlier(req, r.By, r.Decided)
		}
		d.end(req, r.State, Answer{r.State == Approved, r.By, r.Note}, r.Decided)
		req.answered(r.Approvers)
	}
	if tell != nil {
		tell(decision)
	}
}

// answered gives the answer to the exchange that the request has, if any.
func (p *pending) answered(by []string) {
	if p.exchange != nil && (p.state == Approved || p.state == Rejected) {
		p.exchange.Decided(approval.Answer{Digest: p.Digest, Approved: p.state == Approved, By: by, Note: p.answer.Note})
	}
}

// closeShared says in all processes that a request has ended without an answer. If it was answered in another one
// meanwhile, that stands.
func (p *Policy) closeShared(req *pending, state State) {
	if p.options.Requests == nil {
		return
	}
	rec := p.desk.recordOf(req)
	if rec.revision == 0 {
		return
	}
	rec.State, rec.Decided = state, time.Now()
	for range 2 { // a first of two people may have answered
		rec.revision++
		kept, err := rec.kept()
		if err != nil {
			return
		}
		changed, err := p.options.Requests.Change(context.Background(), kept, nil)
		if err != nil {
			_ = p.failed(err)
			return
		}
		if changed {
			return
		}
		p.look(map[string]uint64{req.ID: rec.revision - 1})
		rec.revision = p.desk.recordOf(req).revision
	}
}

// recordOf is the record of a request as it is now.
func (d *desk) recordOf(req *pending) record {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := req.record()
	r.revision, r.By, r.Note = req.revision, req.answer.By, req.answer.Note
	return r
}

// openShared reads the open request, of whichever process, that has this digest.
func (p *Policy) openShared(id, digest string) (*record, error) {
	records, err := p.readShared(map[string]uint64{id: 0})
	switch {
	case err != nil:
		return nil, err
	case len(records) == 0 && slices.ContainsFunc(p.Decided(), func(c Decision) bool { return c.ID == id }):
		return nil, ErrClosed
	case len(records) == 0:
		return nil, ErrUnknown
	case records[0].State != Pending || !time.Now().Before(records[0].Request.Expires):
		return nil, ErrClosed
	case subtle.ConstantTimeCompare([]byte(digest), []byte(records[0].Request.Digest)) != 1:
		return nil, ErrDigest
	}
	return &records[0], nil
}

// addAnswer adds a person's answer, by which the request now has this state. The grant, nil if there is none, is for a
// later call with the same arguments.
func (r *record) addAnswer(a Answer, state State, by []string, expiry time.Duration) *Grant {
	r.revision++
	r.Decided = time.Now()
	if state == Pending {
		r.Request.ApprovedBy = a.By
		return nil
	}
	r.State, r.By, r.Note, r.Approvers = state, a.By, a.Note, by
	if state != Approved || !r.Deferred {
		return nil
	}
	return &Grant{r.Call, fmt.Sprint(r.Request.ID, "\n", r.Decided.Add(expiry).UnixMilli(), "\n", a.By), expiry}
}

// decideShared closes a request, of whichever process, by a person's answer: the first one wins.
func (p *Policy) decideShared(id, digest string, a Answer, mayApprove func(tool, risk string) error) (State, error) {
	for range 3 { // a first of two people may have answered meanwhile
		r, err := p.openShared(id, digest)
		if err != nil {
			return "", err
		}
		state, by, err := p.pending(r).judge(&a, mayApprove)
		if err != nil {
			return "", err
		}
		g := r.addAnswer(a, state, by, p.options.Expiry)
		kept, err := r.kept()
		if err != nil {
			return "", err
		}
		changed, err := p.options.Requests.Change(context.Background(), kept, g)
		if err != nil {
			return "", p.failed(err)
		}
		if !changed {
			continue
		}
		told := *r
		p.desk.takeIn(r, func(d Decision) {
			if d.State = told.State; state == Pending {
				d.By, d.Note = a.By, a.Note
			}
			p.desk.reportDecision(d)
		})
		return state, nil
	}
	return "", ErrClosed
}

// pendingShared are the open requests of all processes; those of this one if they cannot be read.
func (p *Policy) pendingShared(known map[string]uint64) []Request {
	records, err := p.readShared(known)
	if err != nil {
		open, _ := p.desk.list(time.Now())
		return open
	}
	var open []Request
	for i := range records {
		if r := &records[i]; r.State == Pending && time.Now().Before(r.Request.Expires) {
			open = append(open, p.pending(r).Request)
		}
	}
	sortRequests(open)
	return open
}

// find returns an open request.
func (p *Policy) find(id string) (Request, bool) {
	if p.options.Requests == nil {
		return p.desk.find(id, time.Now())
	}
	for _, r := range p.pendingShared(map[string]uint64{id: 0}) {
		if r.ID == id {
			return r, true
		}
	}
	return Request{}, false
}

// takeGrant uses up an approval that was given for the call.
func (p *Policy) takeGrant(ctx context.Context, req *pending) (grant, bool, error) {
	if p.options.Requests == nil {
		g, ok := p.desk.takeGrant(req.owner, req.Created)
		return g, ok, nil
	}
	text, ok, err := p.options.Requests.Take(ctx, req.owner.name())
	if err != nil {
		return grant{}, false, p.failed(err)
	}
	p.health.Answered()
	id, rest, _ := strings.Cut(text, "\n")
	until, by, _ := strings.Cut(rest, "\n")
	end, err := strconv.ParseInt(until, 10, 64)
	ok = ok && err == nil && time.Now().UnixMilli() < end // one that was taken, and put back by others, ends as well
	return grant{by: by, id: id}, ok, nil
}

// refuseAway ends a call whose approval cannot be asked or looked for.
func (p *Policy) refuseAway(call toolkit.Call, err error) (toolkit.Result, error) {
	call.Record.Tag("approval.store", "away")
	call.Record.Tag("approval", "unavailable")
	return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrApprovalDenied, Cause: err, Message: "a person must " +
		"approve this call, and approvals, which several processes share, cannot be reached now: try again later"})
}

// Problems are what the health report says while requests that processes share cannot be reached.
func (p *Policy) Problems() []string { return p.health.Problems(p.options.Requests) }

// Figures reports how often the shared requests could not be reached.
func (p *Policy) Figures(report func(name string, value float64)) {
	if p.options.Requests != nil {
		p.health.Figures(report)
	}
}

func sortRequests(all []Request) {
	slices.SortFunc(all, func(a, b Request) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return bytes.Compare([]byte(a.ID), []byte(b.ID))
	})
}
