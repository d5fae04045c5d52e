// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/memo"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// MaxName is how much of a name is examined, in bytes: of a longer one, its end.
const MaxName = 64

// maxWords is how many words of a name are examined.
const maxWords = 12

// nameWords are the words of a name, in lower case. The strings point into folded.
type nameWords struct {
	folded [MaxName]byte
	words  [maxWords]string
	n      int
}

// Classify splits a name into words (camelCase, snake_case, kebab-case, dotted) and
// says how much it tells, and of what kind.
func Classify(name string) Verdict {
	w := spare.Get().(*nameWords)
	v := w.classify(name)
	spare.Put(w)
	return v
}

// spare has the memory of names that have been classified. A verdict keeps none of it.
var spare = sync.Pool{New: func() any { return new(nameWords) }}

func (w *nameWords) classify(name string) Verdict {
	w.WordsOf(name)
	v := w.verdict()
	if v.Level == Harmless {
		if label, ok := w.personal(); ok {
			return label
		}
		if strings.IndexFunc(name, func(r rune) bool { return r >= 0x370 }) >= 0 {
			return foreign(name)
		}
	}
	return v
}

// WordsOf lists the words of a name. They are there until the next name.
func (w *nameWords) WordsOf(name string) []string {
	w.n = 0
	w.split(name)
	return w.words[:w.n]
}

// IsThing reports whether name has two words or more, of which the last one says what kind of thing in a program it is:
// AccessTokenRequest. With digits, the words for a field need a third word beside them: passwords are two and a number.
func IsThing(name string) bool {
	w := spare.Get().(*nameWords)
	words := w.WordsOf(name)
	n := len(words)
	thing := false
	if n >= 2 {
		last := words[n-1]
		thing = things[last] || (AboutWords[last] || last == "token" || last == "key") && (n > 2 || !chars.HasDigit(name))
	}
	spare.Put(w)
	return thing
}

// A Classifier classifies names, and keeps what it said: the same names come again and again.
type Classifier struct {
	nameWords
	known memo.Local[nameHash, Verdict]
}

// A nameHash stands for a name, see [memo.String].
type nameHash struct {
	hash   uint64
	length int
}

// Classify is the function of that name.
func (c *Classifier) Classify(name string) Verdict {
	if len(name) > MaxName {
		name = name[len(name)-MaxName:]
	}
	var b [MaxName]byte
	key := nameHash{memo.String(withoutNumbers(&b, name)), len(name)}
	if v, ok := c.known.Load(key.hash, &key); ok {
		return v
	}
	v := c.nameWords.classify(name)
	c.known.Store(key.hash, &key, v)
	return v
}

// withoutNumbers is name with 0 for each digit: digits mean nothing in names, and many differ in them alone. It
// uses the memory of b.
func withoutNumbers(b *[MaxName]byte, name string) string {
	first := len(name)
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 0x80: // a word in other scripts is compared as a whole
			return name
		case first == len(name) && chars.IsDigit(c):
			first = i
		}
	}
	if first == len(name) {
		return name
	}
	n := copy(b[:], name)
	for i := first; i < n; i++ {
		if chars.IsDigit(b[i]) {
			b[i] = '0'
		}
	}
	return unsafe.String(&b[0], n)
}

// split cuts name into words; digits end a word and are dropped.
func (w *nameWords) split(name string) {
	if len(name) > MaxName {
		name = name[len(name)-MaxName:]
	}
	start, length := 0, 0
	previous := uint16(0)
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 0x80 {
			letter, n := latinLetter(name, i)
			if i += max(n-1, 0); n > 0 && letter == 0 {
				continue
			}
			if c = letter; n > 0 && previous != chars.Lower && (i+1 == len(name) || chars.Class[name[i+1]]&chars.Lower == 0) {
				c &^= 0x20 // of capitals: EMŠO
			}
		}
		class := chars.Class[c] & (chars.Lower | chars.Upper)
		cut := class == 0 ||
			class == chars.Upper && (previous == chars.Lower || previous == chars.Upper && i+1 < len(name) &&
				chars.Class[name[i+1]]&chars.Lower != 0 && !pluralEnd(name, i))
		if cut && length > start {
			w.endWord(start, length)
			start = length
		}
		if class != 0 {
			w.folded[length] = chars.Fold[c]
			length++
		}
		previous = class
	}
	if length > start {
		w.endWord(start, length)
	}
}

// endWord adds the word in folded[start:end]. Of too many words the last ones stay, which tell most.
func (w *nameWords) endWord(start, end int) {
	if w.n == maxWords {
		copy(w.words[:], w.words[1:])
		w.n--
	}
	w.words[w.n] = unsafe.String(&w.folded[start], end-start)
	w.n++
}

// pluralEnd reports whether the capital at i begins no new word but is the last of an
// acronym in the plural, as in "userIDs".
func pluralEnd(name string, i int) bool {
	return i+1 < len(name) && name[i+1] == 's' && (i+2 == len(name) || chars.Class[name[i+2]]&chars.Lower == 0)
}

// verdict takes the most telling word that no other word takes back.
func (w *nameWords) verdict() Verdict {
	best := Verdict{}
	words := w.words[:w.n]
	for i, word := range words {
		if len(word) >= 3 && Vendors[word] && !takenBack(i, words) {
			best = Verdict{Telling, kinds.Vendor}
			if word == "contribsys" { // RubyGems' name for a paid source: the value is its password
				best.Level = Secret
			}
			break
		}
	}
	for i, word := range words {
		v := wordVerdict(word, i, words)
		if best.Kind == kinds.Cookie && v.Level == Secret && !takenBack(i, words) {
			best = v
		}
		if v.Level < best.Level || v.Level == Harmless || v.Level == best.Level && best.Kind != kinds.Vendor ||
			takenBack(i, words) {
			continue
		}
		best = v
	}
	if best.Level == Telling && best.Kind != kinds.Vendor {
		switch {
		case len(words) == 1 && (best.Kind != kinds.Token || len(words[0]) <= len("tokens")):
			best.Level = Weak
		case slices.Contains(words, "key") && slices.Contains(words, "token"):
			best.Level = Secret
		}
	}
	return best
}

// takenBack reports whether the words around i make the name one about a secret, not
// of one: key_id, token_count, primary_key, has_password.
func takenBack(i int, words []string) bool {
	for k, after := range words[i+1:] {
		if AboutWords[after] && (k > 0 || words[i] != "pass" || after != "word") { // passWord
			return true
		}
	}
	if len(words) == 2 && words[0] == "enable" && (words[1] == "password" || words[1] == "secret") { // of a router
		return false
	}
	return i > 0 && (BeforeAny[words[i-1]] || words[i-1] == "from" || beforeKey[words[i-1]] &&
		plainKeyWords[words[i]]) || i > 1 && BeforeAny[words[0]] && !BeforeSecret[words[i-1]]
}

// Weakens reports whether a word makes the key or token behind it one that opens nothing: public
// key, cache key, page token.
func Weakens(word string) bool {
	word = strings.ToLower(word)
	return weakening[word]
}

// wordVerdict says what one word tells where it stands.
func wordVerdict(word string, i int, words []string) Verdict {
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
	if v, ok := lastWords[word]; ok && (next == "" || next == "id" && len(words) == 2 && word == "session") {
		return v
	}
	switch word {
	case "key", "keys":
		if (BeforeSecret[previous] || Vendors[previous]) && previous != "id" {
			return Verdict{Secret, keyKind(previous)}
		}
		return Verdict{Telling, kinds.APIKey}
	case "token", "tok":
		if header := words[0] == "x"; header || BeforeSecret[previous] || Vendors[previous] {
			return Verdict{Secret, kinds.Token}
		}
		return Verdict{Telling, kinds.Token}
	case "tokens":
		return Verdict{Telling, kinds.Token}
	case "pass", "pw":
		if v, ok := passVerdict(word, previous, next, i > 0); ok {
			return v
		}
	case "secret", "secrets", "secrete":
		if !afterSecret[next] && previous != "store" {
			return Verdict{Secret, kinds.Secret}
		}
	case "passe":
		if previous == "de" || previous == "palavra" {
			return Verdict{Secret, kinds.Password}
		}
	case "string", "strings":
		if previous == "community" {
			return Verdict{Secret, kinds.Password}
		}
	}
	return compound(word)
}

// passVerdict is the verdict of "pass" and "pw"; ok is false if they are like any other word.
func passVerdict(word, previous, next string, follows bool) (v Verdict, ok bool) {
	// nginx: where to pass a request; a verb
	if word == "pass" && (chars.OneOf("pre proxy fastcgi uwsgi scgi grpc memcached to must will may should", previous) ||
		chars.OneOf("nr no nummer number num", next)) { // and a passport in German
		return Verdict{}, true
	}
	return Verdict{Secret, kinds.Password}, next == "" || next == "phrase" || next == "word" ||
		follows && !BeforeAny[previous]
}

func keyKind(previous string) kinds.ID {
	if previous == "private" || previous == "priv" {
		return kinds.PrivateKey
	}
	return kinds.APIKey
}

// compound looks at a word that is several without a border: dbpassword, accesskey.
func compound(word string) Verdict {
	n := len(word)
	if n < 5 {
		return Verdict{}
	}
	for _, s := range &compounds {
		if n > len(s.tail) && word[n-len(s.tail):] == s.tail {
			head := word[:n-len(s.tail)]
			switch {
			case notCompound[word]:
				return Verdict{}
			case s.tail == "key" && !BeforeSecret[head] && !endsWithSecret(head):
				return Verdict{}
			case s.tail == "token" && BeforeSecret[head]:
				return Verdict{Secret, kinds.Token}
			}
			return Verdict{s.level, *s.kind}
		}
	}
	for _, s := range compounds[:compoundHeads] {
		if n > len(s.tail) && word[:len(s.tail)] == s.tail && !notCompound[word] {
			return Verdict{s.level, *s.kind}
		}
	}
	return Verdict{}
}

func endsWithSecret(head string) bool {
	for _, s := range [...]string{"api", "access", "secret", "private", "auth", "master", "shared", "signing",
		"encryption", "license"} {
		if len(head) > len(s) && head[len(head)-len(s):] == s {
			return true
		}
	}
	return false
}
