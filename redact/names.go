// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"unsafe"

	"github.com/toolscope/toolscope/internal/memo"
)

// A level says how much a name tells of its value.
type level uint8

const (
	harmless level = iota
	telling        // a random-looking value is a secret
	secret         // any value that is not a reference or a placeholder is a secret
)

// A verdict is what a name says.
type verdict struct {
	level level
	kind  kindID
}

// maxName is how much of a name is looked at, in bytes: of a longer one, its end.
const maxName = 64

// maxWords is how many words of a name are looked at.
const maxWords = 12

// nameWords are the words of a name, in lower case. The strings point into folded.
type nameWords struct {
	folded [maxName]byte
	words  [maxWords]string
	n      int
}

// classify splits a name into words (camelCase, snake_case, kebab-case, dotted) and
// says how much it tells, and of what kind.
func classify(name string) verdict { return new(nameWords).classify(name) }

func (w *nameWords) classify(name string) verdict {
	w.wordsOf(name)
	return w.verdict()
}

// wordsOf lists the words of a name. They are there until the next name.
func (w *nameWords) wordsOf(name string) []string {
	w.n = 0
	w.split(name)
	return w.words[:w.n]
}

// A classifier classifies names, and keeps what it said: the same names come again and again.
type classifier struct {
	nameWords
	known memo.Local[nameHash, verdict]
}

// A nameHash stands for a name, see [memo.String].
type nameHash struct {
	hash   uint64
	length int
}

func (c *classifier) classify(name string) verdict {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	key := nameHash{memo.String(name), len(name)}
	if v, ok := c.known.Load(key.hash, key); ok {
		return v
	}
	v := c.nameWords.classify(name)
	c.known.Store(key.hash, key, v)
	return v
}

// split cuts name into words; digits end a word and are dropped.
func (w *nameWords) split(name string) {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	start, length := 0, 0
	previous := uint16(0)
	for i := range len(name) {
		c := name[i]
		class := chars[c] & (chLower | chUpper)
		cut := class == 0 ||
			class == chUpper && (previous == chLower || previous == chUpper && i+1 < len(name) && chars[name[i+1]]&chLower != 0 && !pluralEnd(name, i))
		if cut && length > start {
			if w.n == maxWords { // the end tells most
				copy(w.words[:], w.words[1:])
				w.n--
			}
			w.words[w.n] = unsafe.String(&w.folded[start], length-start)
			w.n++
			start = length
		}
		if class != 0 {
			w.folded[length] = lower[c]
			length++
		}
		previous = class
	}
	if length > start {
		if w.n == maxWords {
			copy(w.words[:], w.words[1:])
			w.n--
		}
		w.words[w.n] = unsafe.String(&w.folded[start], length-start)
		w.n++
	}
}

// pluralEnd reports whether the capital at i begins no new word but is the last of an
// acronym in the plural, as in "userIDs".
func pluralEnd(name string, i int) bool {
	return i+1 < len(name) && name[i+1] == 's' && (i+2 == len(name) || chars[name[i+2]]&chLower == 0)
}

// verdict takes the most telling word that no other word takes back.
func (w *nameWords) verdict() verdict {
	best := verdict{}
	words := w.words[:w.n]
	for i, word := range words {
		if len(word) >= 3 && vendors[word] && !takenBack(i, words) {
			best = verdict{telling, idVendor}
			if word == "contribsys" { // RubyGems' name for a paid source: the value is its password
				best.level = secret
			}
			break
		}
	}
	for i, word := range words {
		v := wordVerdict(word, i, words)
		if v.level < best.level || v.level == harmless || v.level == best.level && best.kind != idVendor || takenBack(i, words) {
			continue
		}
		best = v
	}
	return best
}

// takenBack reports whether the words around i make the name one about a secret, not
// of one: key_id, token_count, primary_key, has_password.
func takenBack(i int, words []string) bool {
	for _, after := range words[i+1:] {
		if aboutWords[after] {
			return true
		}
	}
	return i > 0 && (beforeAny[words[i-1]] || words[i-1] == "from" || beforeKey[words[i-1]] && plainKeyWords[words[i]]) || i > 1 && beforeAny[words[0]] && !beforeSecret[words[i-1]]
}

// wordVerdict says what one word tells where it stands.
func wordVerdict(word string, i int, words []string) verdict {
	previous, next := "", ""
	if i > 0 {
		previous = words[i-1]
	}
	if i+1 < len(words) {
		next = words[i+1]
	}
	if v, ok := plainWords[word]; ok {
		return v
	}
	switch word {
	case "key", "keys":
		if beforeSecret[previous] || vendors[previous] {
			return verdict{secret, keyKind(previous)}
		}
		return verdict{telling, idAPIKey}
	case "token", "tok":
		if beforeSecret[previous] || vendors[previous] {
			return verdict{secret, idToken}
		}
		return verdict{telling, idToken}
	case "tokens":
		if beforeSecret[previous] {
			return verdict{telling, idToken}
		}
	case "pass", "pw":
		if oneOf("proxy fastcgi uwsgi scgi grpc memcached", previous) && word == "pass" { // nginx: where to pass a request
			return verdict{}
		}
		if next == "" || i > 0 && !beforeAny[previous] {
			return verdict{secret, idPassword}
		}
	case "secret", "secrets", "secrete":
		if !afterSecret[next] && previous != "store" {
			return verdict{secret, idSecret}
		}
	case "string", "strings":
		if previous == "community" {
			return verdict{secret, idPassword}
		}
	case "pin", "otp", "totp", "ssn", "cvv", "cvc", "csc", "auth", "login", "sig", "sas", "pat", "salt", "seed", "sid", "session", "sess", "sessid", "sessionid":
		if next == "" || next == "id" && previous == "" && len(words) == 2 && word == "session" {
			return lastWords[word]
		}
	}
	return compound(word)
}

func keyKind(previous string) kindID {
	if previous == "private" || previous == "priv" {
		return idPrivateKey
	}
	return idAPIKey
}

// compound looks at a word that is several without a border: dbpassword, accesskey.
func compound(word string) verdict {
	n := len(word)
	if n < 5 {
		return verdict{}
	}
	for _, s := range compounds {
		if n > len(s.tail) && word[n-len(s.tail):] == s.tail {
			head := word[:n-len(s.tail)]
			switch {
			case notCompound[word]:
				return verdict{}
			case s.tail == "key" && !beforeSecret[head] && !endsWithSecret(head):
				return verdict{}
			case s.tail == "token" && beforeSecret[head]:
				return verdict{secret, idToken}
			}
			return s.verdict
		}
	}
	for _, s := range compounds[:compoundHeads] {
		if n > len(s.tail) && word[:len(s.tail)] == s.tail && !notCompound[word] {
			return s.verdict
		}
	}
	return verdict{}
}

func endsWithSecret(head string) bool {
	for _, s := range [...]string{"api", "access", "secret", "private", "auth", "master", "shared", "signing", "encryption", "license"} {
		if len(head) > len(s) && head[len(head)-len(s):] == s {
			return true
		}
	}
	return false
}
