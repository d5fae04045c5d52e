// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/redact"
)

// A Session is what a client and a server have agreed on.
type Session struct {
	ID, Protocol, Program string
	Began                 time.Time
	Client, Server        Peer
}

// AddSession puts the line of a session into the queue.
func (l *Log) AddSession(s Session) {
	r := Record{
		Version: Version, Record: RecordSession, Server: l.server, Time: s.Began.UTC(),
		Session: cleaned(l.redactor, s.ID, maxName), Protocol: cleaned(l.redactor, s.Protocol, maxName), Program: s.Program,
	}
	for _, p := range []struct {
		to   **Peer
		from Peer
	}{{&r.Client, s.Client}, {&r.Peer, s.Server}} {
		if p.from.Name != "" || len(p.from.Capabilities) > 0 {
			peer := Peer{Name: cleaned(l.redactor, p.from.Name, maxName)}
			for _, c := range p.from.Capabilities {
				peer.Capabilities = append(peer.Capabilities, cleaned(l.redactor, c, maxName))
			}
			*p.to = &peer
		}
	}
	l.addEarly(&r)
}

// A Tool is one that a server lists.
type Tool struct {
	Name, Digest string // Digest "" is that of the definition
	Definition   []byte // as the server sent it; nil if it was not kept
	ReadOnly     bool
}

// The bounds of a list of tools.
const (
	maxTools      = 2000
	maxDefinition = 64 << 10 // bytes of one
	maxDefined    = 1 << 20  // bytes of those of a file
)

// DigestOf is the digest of a definition in any spelling.
func DigestOf(definition []byte) string {
	text := jsontext.Value(slices.Clone(definition))
	_ = text.Canonicalize() // which leaves what is no JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// AddTools puts the lines of a server's tools into the queue: definitions that are new, then the whole list. Nothing is
// written of a list that was written already.
func (l *Log) AddTools(session string, tools []Tool) {
	if len(tools) > maxTools {
		tools = tools[:maxTools]
	}
	now := make(map[string]string, len(tools))
	list := Record{
		Version: Version, Record: RecordTools, Server: l.server, Time: time.Now().UTC(), Session: cleaned(l.redactor, session, maxName),
	}
	l.tools.mu.Lock()
	defer l.tools.mu.Unlock()
	for _, t := range tools {
		digest := t.Digest
		if digest == "" {
			digest = DigestOf(t.Definition)
		}
		name := cleaned(l.redactor, t.Name, maxName)
		now[name] = digest
		list.Tools = append(list.Tools, ToolDigest{name, digest})
		if l.tools.digests[name] == digest {
			continue
		}
		r := Record{
			Version: Version, Record: RecordTool, Server: l.server, Time: list.Time, Tool: name, Digest: digest, ReadOnly: t.ReadOnly,
		}
		if l.tools.bytes += len(t.Definition); len(t.Definition) <= maxDefinition && l.tools.bytes <= maxDefined {
			r.Definition = cleanedDefinition(l.redactor, t.Definition)
		}
		l.addEarly(&r)
	}
	if l.tools.digests != nil && maps.Equal(l.tools.digests, now) {
		return
	}
	l.tools.digests = now
	slices.SortFunc(list.Tools, func(a, b ToolDigest) int { return cmp.Compare(a.Name, b.Name) })
	l.addEarly(&list)
}

// cleanedDefinition redacts the texts of a definition one by one: a schema has names such as "password" that say nothing
// of a value.
func cleanedDefinition(redactor *redact.Redactor, definition []byte) jsontext.Value {
	var value any
	if len(definition) == 0 || json.Unmarshal(definition, &value) != nil {
		return nil
	}
	text, err := json.Marshal(cleanedTexts(redactor, value), json.Deterministic(true))
	if err != nil {
		return nil
	}
	return text
}

func cleanedTexts(redactor *redact.Redactor, value any) any {
	switch v := value.(type) {
	case string:
		clean, _ := redactor.Text(v)
		return clean
	case []any:
		for i := range v {
			v[i] = cleanedTexts(redactor, v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = cleanedTexts(redactor, v[name])
		}
	}
	return value
}
