// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// A Request is a question to a person. Its texts are redacted and cut, for logs and lists; a caller that shows
// them must still take care of control characters. What the person decides on is [Request.View].
type Request struct {
	ID     string `json:"id"`     // random id of the request
	Digest string `json:"digest"` // what the answer is bound to; see [Digest]

	Tool      string `json:"tool"`              // name of the tool
	Title     string `json:"title,omitempty"`   // title of the tool, for people
	Risk      string `json:"risk,omitempty"`    // risk that the tool declares
	Arguments string `json:"arguments"`         // redacted and truncated arguments
	CallID    string `json:"call_id,omitempty"` // the model's id of the call
	Session   string `json:"session,omitempty"` // session id
	Tenant    string `json:"tenant,omitempty"`  // tenant of the session
	Agent     string `json:"agent,omitempty"`   // name of the agent

	Trigger string `json:"trigger"`          // why a person is asked: rule, tool, risk, arguments or host
	Reason  string `json:"reason,omitempty"` // why a person is asked, in words
	Rule    string `json:"rule,omitempty"`   // the name of the rule that asks

	Created time.Time `json:"created"` // when the request was opened
	Expires time.Time `json:"expires"` // when the request expires without an answer

	ApprovedBy string `json:"approved_by,omitempty"` // first person who approved, where two have to

	content *content // what [Request.View] shows; nil once the request is closed
}

// An Answer is what a person said. The zero value is a no.
type Answer struct {
	Approved bool
	By       string // who: as they say, or as they were authenticated
	Note     string // for the model if it is a no, and for the audit log
}

// Digest is what an approval is bound to, as lower-case hex: the SHA-256 of the tool's
// name, the arguments' bytes with nothing left out, the work directory, and the version of
// the rules, each behind its length as eight bytes, big-endian.
func Digest(tool string, arguments []byte, workDir, rules string) string {
	h := sha256.New()
	var length [8]byte
	for _, part := range [][]byte{[]byte(tool), arguments, []byte(workDir), []byte(rules)} {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// newID is 80 random bits in lower-case base 32.
func newID() string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}
