// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspush

import (
	"compress/gzip"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/stats"
)

// The receiver's bounds.
const (
	maxBody      = 1 << 20          // of a push, compressed
	maxInstances = 2000             // that have not ended
	maxEnded     = 1 << 16          // ended ones that are remembered, so that a repeated last push counts once
	silence      = 10 * time.Minute // after which an instance's calls are not shown as running any more
)

// A Receiver counts the statistics that processes push into a recorder. It answers
//
//	PUT /api/v1/instances/{id}   a push; 204 if it was counted
//	GET /api/v1/instances        the instances, as JSON
//
// to requests with the token. It holds at most 2,000 instances that have not ended. Of one more than that, the one
// that was silent for longest is dropped, if it was silent for ten minutes; else the push is answered with 503.
// Pushes larger than 1 MiB are answered with 413. It is safe for concurrent use.
type Receiver struct {
	recorder *stats.Recorder
	token    [sha256.Size]byte
	reading  chan struct{} // bounds the pushes that are decoded concurrently
	mux      *http.ServeMux

	mu        sync.Mutex
	instances map[string]*instance
	ended     map[string]bool
	order     []string // of ended, the oldest first
	pushes    uint64
	refused   uint64
}

// instance is a process that pushes.
type instance struct {
	mu       sync.Mutex
	origin   *stats.Origin
	sequence uint64
	began    time.Time
	last     time.Time
	closed   bool // silent: its calls are not shown as running
}

// NewReceiver returns a receiver that counts into the recorder. Processes give the token, at least 16 bytes without
// blanks, as a bearer token.
func NewReceiver(r *stats.Recorder, token string) (*Receiver, error) {
	if r == nil {
		return nil, errors.New("statspush: recorder: got nil, want one")
	}
	if err := checkToken(token); err != nil {
		return nil, fmt.Errorf("statspush: token: %w", err)
	}
	x := &Receiver{
		recorder: r, token: sha256.Sum256([]byte(token)), mux: http.NewServeMux(),
		reading:   make(chan struct{}, runtime.GOMAXPROCS(0)),
		instances: make(map[string]*instance), ended: make(map[string]bool),
	}
	x.mux.HandleFunc("PUT "+path+"/{id}", x.takePush)
	x.mux.HandleFunc("GET "+path, x.list)
	return x, nil
}

// ServeHTTP answers a request.
func (x *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if _, password, basic := r.BasicAuth(); basic { // a browser that looks at the list
		scheme, given = "bearer", password
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(given)))
	if subtle.ConstantTimeCompare(sum[:], x.token[:]) != 1 || !strings.EqualFold(scheme, "bearer") {
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolscope"`)
		const text = "got no bearer token or a wrong one"
		if r.Method == http.MethodPut { // its process ends without being counted: that must be seen here
			x.refuse(w, http.StatusUnauthorized, text)
		} else {
			http.Error(w, text, http.StatusUnauthorized)
		}
		return
	}
	x.mux.ServeHTTP(w, r)
}

// takePush counts a push.
func (x *Receiver) takePush(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	sequence, err := strconv.ParseUint(r.Header.Get(headerSequence), 10, 64)
	switch {
	case !isID(id):
		x.refuse(w, http.StatusBadRequest, "id: want 16 to 64 letters and digits")
		return
	case err != nil || sequence == 0:
		x.refuse(w, http.StatusBadRequest, headerSequence+": want a number from 1")
		return
	}
	s, status, err := x.read(w, r)
	if err != nil {
		x.refuse(w, status, err.Error())
		return
	}
	status, text := x.count(id, sequence, r.Header.Get(headerFinal) == "true", s)
	if status != http.StatusNoContent {
		x.refuse(w, status, text)
		return
	}
	w.WriteHeader(status)
}

// isID reports whether an id is one as instances make them.
func isID(id string) bool {
	other := func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }
	return len(id) >= 16 && len(id) <= 64 && strings.IndexFunc(id, other) < 0
}

// read returns the snapshot of a push, or the status and reason of its refusal.
func (x *Receiver) read(w http.ResponseWriter, r *http.Request) (*stats.Snapshot, int, error) {
	select {
	case x.reading <- struct{}{}:
		defer func() { <-x.reading }()
	case <-r.Context().Done():
		return nil, http.StatusServiceUnavailable, r.Context().Err()
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(30 * time.Second)) // not every server can
	var body io.Reader = http.MaxBytesReader(w, r.Body, maxBody)
	if r.Header.Get("Content-Encoding") == "gzip" {
		zip, err := gzip.NewReader(body)
		if err != nil {
			return nil, statusOf(err), err
		}
		body = zip
	}
	s, err := stats.ReadSnapshot(body)
	if err != nil {
		return nil, statusOf(err), err
	}
	return s, 0, nil
}

// statusOf is the status of a body that cannot be read.
func statusOf(err error) int {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

// count counts a snapshot, unless it is a repeated or late one.
func (x *Receiver) count(id string, sequence uint64, final bool, s *stats.Snapshot) (status int, text string) {
	in, status, text := x.find(id, sequence)
	if in == nil {
		return status, text
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if sequence > in.sequence {
		in.origin.Count(s)
		in.sequence, in.closed = sequence, false
	}
	in.last = x.recorder.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pushes++
	if final {
		in.origin.Close()
		x.end(id)
	}
	return http.StatusNoContent, ""
}

// find returns the instance of a push, a new one for its first. It is nil for one that has ended, whose repeated push is
// answered with 204, and for one that is not known: it may have been counted before a restart.
func (x *Receiver) find(id string, sequence uint64) (*instance, int, string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch in := x.instances[id]; {
	case in != nil:
		return in, 0, ""
	case x.ended[id]:
		return nil, http.StatusNoContent, ""
	case sequence > 1:
		return nil, http.StatusConflict, "the instance is not known here: begin a new one with what was not accepted"
	}
	x.closeSilent()
	if len(x.instances) >= maxInstances && !x.dropSilent() {
		return nil, http.StatusServiceUnavailable, fmt.Sprintf("there are %d instances, which is the limit", maxInstances)
	}
	now := x.recorder.Now()
	in := &instance{origin: x.recorder.NewOrigin(), began: now, last: now}
	x.instances[id] = in
	return in, 0, ""
}

// closeSilent ends the running calls of instances that are silent. The caller holds the lock.
func (x *Receiver) closeSilent() {
	for _, in := range x.instances {
		if in.mu.TryLock() { // else it is not silent
			if !in.closed && x.recorder.Now().Sub(in.last) > silence {
				in.closed = true
				in.origin.Close()
			}
			in.mu.Unlock()
		}
	}
}

// dropSilent drops the instance that was silent for longest, if one is silent. The caller holds the lock.
func (x *Receiver) dropSilent() bool {
	oldest := ""
	var last time.Time
	for id, in := range x.instances {
		if in.mu.TryLock() {
			if in.closed && (oldest == "" || in.last.Before(last)) {
				oldest, last = id, in.last
			}
			in.mu.Unlock()
		}
	}
	delete(x.instances, oldest)
	return oldest != ""
}

// end remembers that an instance has ended. The caller holds the lock.
func (x *Receiver) end(id string) {
	delete(x.instances, id)
	if x.ended[id] {
		return
	}
	if len(x.order) == maxEnded {
		delete(x.ended, x.order[0])
		x.order = x.order[1:]
	}
	x.ended[id] = true
	x.order = append(x.order, id)
}

// refuse answers a push that is not counted.
func (x *Receiver) refuse(w http.ResponseWriter, status int, text string) {
	x.mu.Lock()
	x.refused++
	x.mu.Unlock()
	http.Error(w, text, status)
}

// instanceView is a process that pushes, as GET /api/v1/instances lists it.
type instanceView struct {
	ID     string    `json:"id"`
	Began  time.Time `json:"began"`  // when its first push arrived
	Last   time.Time `json:"last"`   // when its last push arrived
	Pushes uint64    `json:"pushes"` // the number of its last push
	Silent bool      `json:"silent"` // no push for ten minutes
}

// list lists the instances, the latest push first.
func (x *Receiver) list(w http.ResponseWriter, _ *http.Request) {
	answer := struct {
		Ended     int            `json:"ended"`
		Instances []instanceView `json:"instances"`
	}{Instances: []instanceView{}}
	x.mu.Lock()
	x.closeSilent()
	answer.Ended = len(x.ended)
	known := maps.Clone(x.instances)
	x.mu.Unlock()
	for id, in := range known {
		in.mu.Lock()
		answer.Instances = append(answer.Instances, instanceView{id, in.began, in.last, in.sequence, in.closed})
		in.mu.Unlock()
	}
	slices.SortFunc(answer.Instances, func(a, b instanceView) int { return b.Last.Compare(a.Last) })
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(answer)
}

// Components reports how many instances there are. Receiver is a [stats.HealthSource].
func (x *Receiver) Components() []stats.Component {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closeSilent()
	c := stats.Component{Name: "statistics receiver", Figures: stats.Figures{
		{Name: "instances", Value: float64(len(x.instances))}, {Name: "max_instances", Value: maxInstances},
		{Name: "ended", Value: float64(len(x.ended))},
		{Name: "pushes", Value: float64(x.pushes)}, {Name: "refused", Value: float64(x.refused)},
	}}
	if len(x.instances) >= maxInstances {
		c.Problems = []string{fmt.Sprintf("there are %d instances, which is the limit: pushes of new ones are refused", maxInstances)}
	}
	return []stats.Component{c}
}
