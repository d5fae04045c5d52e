// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// version is that of the file.
const version = 1

// The bounds of the file.
const (
	maxFile   = 256 << 20   // bytes
	saveEvery = time.Minute // at most that much is lost if the process is killed
)

// A model is what was learned.
type model struct {
	key []byte // of the hashes

	mu     sync.Mutex
	agents map[uint64]*agent

	saving sync.Mutex
	saved  os.FileInfo // the file as this process wrote or read it; nil without one
}

// learned is the form of the file.
type learned struct {
	Version int               `json:"toolscope_baseline"`
	Key     []byte            `json:"key"`
	Agents  []json.RawMessage `json:"agents"`
}

// load reads a file; without one the model is empty.
func load(file string, most int) (*model, error) {
	m := &model{key: make([]byte, 16), agents: map[uint64]*agent{}}
	_, _ = rand.Read(m.key) // never fails
	if file == "" {
		return m, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return nil, err // every save would fail
		}
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if m.saved, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := m.decode(text, most); err != nil {
		return nil, fmt.Errorf("%s: %w: delete the file to learn anew", file, err)
	}
	return m, nil
}

// decode fills an empty model. It keeps the agents used last, at most that many.
func (m *model) decode(text []byte, most int) error {
	if len(text) > maxFile {
		return fmt.Errorf("got more than %d bytes, want what this policy wrote", maxFile)
	}
	var l learned
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("got no JSON of this policy: %w", err)
	}
	if l.Version != version || len(l.Key) != len(m.key) {
		return fmt.Errorf("got version %d with a key of %d bytes, want version %d with %d",
			l.Version, len(l.Key), version, len(m.key))
	}
	m.key = l.Key
	for i, text := range l.Agents {
		a := new(agent)
		if err := json.Unmarshal(text, a); err != nil {
			return fmt.Errorf("agent %d: %w", i, err)
		}
		if err := a.check(); err != nil {
			return fmt.Errorf("agent %d: %w", i, err)
		}
		m.agents[a.ID] = a
	}
	m.room(most + 1)
	return nil
}

// check returns an error for what this policy cannot have written.
func (a *agent) check() error {
	if err := a.Tools.check(maxTools); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if !a.Volume.plausible() {
		return errors.New("volume: got counts that do not fit together")
	}
	for i := range a.Tools.List {
		t := &a.Tools.List[i].V
		if err := t.Targets.check(maxTargets); err != nil {
			return fmt.Errorf("tool %d: targets: %w", i, err)
		}
		if !t.Volume.plausible() || !t.Size.plausible(sizeEpoch) {
			return fmt.Errorf("tool %d: got counts that do not fit together", i)
		}
	}
	return nil
}

// huge is beyond what a count can reach.
const huge = 1 << 61

func (p *peak) plausible(epoch uint64) bool {
	return p.Open < epoch && p.Open <= p.Seen && p.Seen < huge && max(p.Now, p.Before) < huge
}

func (v *volume) plausible() bool {
	return v.Most.plausible(volumeEpoch) && max(v.Count, v.Allowed) <= huge
}

func (k *known[V]) check(most int) error {
	ids := make([]uint64, 0, len(k.List))
	for i := range k.List {
		if k.List[i].Uses == 0 || k.List[i].Uses > 3 {
			return errors.New("got one with uses that are not 1 to 3")
		}
		ids = append(ids, k.List[i].ID)
	}
	slices.Sort(ids)
	if len(ids) > most || len(slices.Compact(ids)) != len(k.List) {
		return fmt.Errorf("got %d, want at most %d different ones", len(k.List), most)
	}
	once := uint64(0)
	for i := range k.List {
		if k.List[i].Uses == 1 {
			once++
		}
	}
	if k.Once < once || k.Once > k.Seen || k.Seen >= huge {
		return fmt.Errorf("got %d uses with %d single ones, want them to fit to the list", k.Seen, k.Once)
	}
	return nil
}

// room removes the longest unused agents until there is room for one more.
func (m *model) room(most int) {
	for len(m.agents) >= most {
		var oldest *agent
		for _, a := range m.agents {
			if oldest == nil || a.used() < oldest.used() {
				oldest = a
			}
		}
		delete(m.agents, oldest.ID)
	}
}

func (a *agent) used() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Used
}

// agent is what is known of an agent, made if there is nothing.
func (m *model) agent(id uint64, most int, now time.Time) *agent {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.agents[id]
	if a == nil {
		m.room(most)
		a = &agent{ID: id, Used: now.Unix()}
		m.agents[id] = a
	}
	return a
}

// all are the agents, in no order.
func (m *model) all() []*agent {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*agent, 0, len(m.agents))
	for _, a := range m.agents {
		all = append(all, a)
	}
	return all
}

// id is the hash of a name, so that names do not reach the file. Each file has its own key.
func (m *model) id(kind byte, parts ...string) uint64 {
	var room [256]byte
	text := append(append(room[:0], m.key...), kind)
	for _, p := range parts {
		text = append(binary.BigEndian.AppendUint64(text, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])
}

// save writes the file, readable for its owner only, in one step. A file that another process wrote meanwhile is left.
func (m *model) save(file string) error {
	m.saving.Lock()
	defer m.saving.Unlock()
	if is, err := os.Stat(file); err == nil && !same(m.saved, is) {
		return fmt.Errorf("baseline: %s: another process wrote it: want a file for each process", file)
	}
	text, err := m.encode()
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	if m.saved, err = replace(file, text); err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	return nil
}

// same reports whether a file is still the one that this process wrote or read: the number of a file can be given again.
func same(saved, is os.FileInfo) bool {
	return saved != nil && os.SameFile(saved, is) && saved.Size() == is.Size() && saved.ModTime().Equal(is.ModTime())
}

// encode is the text of the file.
func (m *model) encode() ([]byte, error) {
	l := learned{Version: version, Key: m.key}
	for _, a := range m.all() {
		text, err := a.encode()
		if err != nil {
			return nil, err
		}
		l.Agents = append(l.Agents, text)
	}
	return json.Marshal(l)
}

func (a *agent) encode() ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return json.Marshal(a)
}

// replace puts a new file in the place of one.
func replace(file string, text []byte) (info os.FileInfo, err error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*") // 0600
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return nil, err
	}
	return os.Stat(file)
}
