// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// JSON removes what is found in JSON text: values by their member's name, and in
// every string what [Redactor.Text] would find, decoded first. Valid JSON stays
// valid; broken and cut-off JSON, several documents after another, and plain text
// work as well. src comes back itself if nothing was found; it is never written to.
func (r *Redactor) JSON(src []byte) (out []byte, found Findings) {
	s := view(src)
	text, found := r.Text(s)
	if len(found) == 0 {
		return src, nil
	}
	if isNumber(s) { // a document that is one number
		text = `"` + mark(found[0].Kind) + `"`
	}
	return []byte(text), found
}

// isNumber reports whether s is nothing but a JSON number.
func isNumber(s string) bool {
	s = strings.TrimFunc(s, func(r rune) bool { return r < utf8.RuneSelf && isSpace(byte(r)) })
	return s != "" && (isDigit(s[0]) || s[0] == '-') && strings.Trim(s, "0123456789+-.eE") == ""
}

// view shows bytes as a string while nobody writes to them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// looksLikeJSON reports whether s is worth a walk.
func looksLikeJSON(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isSpace(c):
		case c == 0xEF && strings.HasPrefix(s[i:], "\uFEFF"):
			return looksLikeJSON(s[i+3:])
		default:
			if c != '"' {
				return c == '{' || c == '['
			}
			end, closed := stringEnd(s, i+1) // a string that is the whole text
			return closed && strings.TrimRight(s[end+1:], " \t\r\n") == ""
		}
	}
	return false
}

// frame is an object or array that the walk is in.
type frame struct {
	object bool
	level  sensitivity // inherited by what is within
	kind   string
	name   string // the value of a "name" member, for {"name":…,"value":…}
	flag   string // the item before, if it is an option such as --password
}

// walk goes over JSON flatly, quote to quote: it needs no valid grammar, and
// changes nothing but the insides of strings and whole values.
type walk struct {
	sc    *scanner
	src   string
	out   []byte // what is changed so far; nil if nothing was
	from  int    // src is in out up to here
	depth int

	stack []frame
	level sensitivity // of the value that comes next
	kind  string
}

// json walks s. ok is false if s is no JSON after all, not even a cut-off piece.
func (sc *scanner) json(s string, depth int) (out string, ok bool) {
	found := slices.Clone(sc.found) // its counts go up in place
	if cap(sc.frames) == 0 {
		sc.frames = make([]frame, 0, 16)
	}
	w := walk{sc: sc, src: s, depth: depth, stack: sc.frames[:0]}
	ok = w.run()
	sc.frames = w.stack
	if !ok {
		sc.found = found
		return "", false
	}
	if w.out == nil {
		return s, true
	}
	return view(append(w.out, s[w.from:]...)), true
}

// replace puts text in the place of src[start:end].
func (w *walk) replace(start, end int, text string) {
	if w.out == nil {
		w.out = make([]byte, 0, len(w.src)+64)
	}
	w.out = append(append(w.out, w.src[w.from:start]...), text...)
	w.from = end
}

func (w *walk) run() bool {
	s := w.src
	opened := false
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case isSpace(c) || c == ':':
			i++
		case c == ',':
			w.next()
			i++
		case c == '{' || c == '[':
			opened = true
			if len(w.stack)+w.depth >= w.sc.r.maxDepth {
				end := valueEnd(s, i)
				w.replace(i, end, `"`+mark(kindUnscanned)+`"`)
				w.sc.found = w.sc.found.add(kindUnscanned)
				i = end
				continue
			}
			w.push(c == '{')
			i++
		case c == '}' || c == ']':
			if len(w.stack) > 0 {
				w.stack = w.stack[:len(w.stack)-1]
			}
			w.level = harmless
			i++
		case c == '"':
			end, closed := stringEnd(s, i+1)
			w.str(i+1, end)
			i = end
			if closed {
				i++
			}
		case c == '-' || isDigit(c):
			end := i + 1
			for end < len(s) && (isDigit(s[end]) || strings.IndexByte("+-.eE", s[end]) >= 0) {
				end++
			}
			w.number(i, end)
			i = end
		case strings.HasPrefix(s[i:], "true"), strings.HasPrefix(s[i:], "null"):
			i += 4
		case strings.HasPrefix(s[i:], "false"):
			i += 5
		case c == 0xEF && strings.HasPrefix(s[i:], "\uFEFF"):
			i += 3
		default:
			// Something else: text after a finished document, or no JSON at all.
			if !opened || len(w.stack) > 0 || w.depth > 8 {
				return false
			}
			if rest := w.sc.plain(s[i:]); rest != s[i:] {
				w.replace(i, len(s), rest)
			}
			return true
		}
	}
	return true
}

// push enters an object or array; what the value's name told is inherited.
func (w *walk) push(object bool) {
	w.stack = append(w.stack, frame{object: object, level: w.level, kind: w.kind})
	if object {
		w.level = harmless
	}
}

// next is a comma: in an array the items share what the array's name told.
func (w *walk) next() {
	w.level = harmless
	if n := len(w.stack); n > 0 && !w.stack[n-1].object {
		w.level, w.kind = w.stack[n-1].level, w.stack[n-1].kind
	}
}

// str handles the string src[start:end], a member's name or a value.
func (w *walk) str(start, end int) {
	raw := w.src[start:end]
	text := raw
	if strings.IndexByte(raw, '\\') >= 0 {
		text = w.sc.decode(raw)
	}
	if w.isName(end) {
		w.name(text, start, end)
		return
	}
	w.value(text, raw, start, end)
}

// isName reports whether the string that ends at end is a member's name.
func (w *walk) isName(end int) bool {
	n := len(w.stack)
	if n == 0 || !w.stack[n-1].object {
		return false
	}
	for p := end + 1; p < len(w.src); p++ {
		if !isSpace(w.src[p]) {
			return w.src[p] == ':'
		}
	}
	return false
}

// name takes a member's name for what it tells of the value.
func (w *walk) name(text string, start, end int) {
	f := &w.stack[len(w.stack)-1]
	w.level, w.kind = classifyKey(text)
	switch {
	case w.level == harmless && f.level != harmless && holder[text]:
		w.level, w.kind = f.level, f.kind
	case w.level == harmless && f.level == secret:
		w.level, w.kind = telling, f.kind
	case w.level == harmless && f.name != "" && holder[text]:
		w.level, w.kind = classifyKey(f.name)
	}
	if len(text) < 8 {
		return
	}
	if clean := w.sc.plain(text); clean != text {
		w.replace(start, end, escape(clean))
	}
}

// holder names members that hold what an outer name, or a name beside them, tells.
var holder = words("value values val data raw plain current default stringData content secretString SecretString plaintext text")

// namer names members whose value is a name for the member beside it.
var namer = words("name key field variable header param parameter env Name Key")

// value handles a string that is a value.
func (w *walk) value(text, raw string, start, end int) {
	level, kind := w.level, w.kind
	if n := len(w.stack); n > 0 {
		f := &w.stack[n-1]
		if f.object {
			if namer[w.memberName(start)] {
				f.name = text
			}
		} else {
			if f.flag != "" && !strings.HasPrefix(text, "-") {
				level, kind = classifyKey(f.flag)
			}
			f.flag = ""
			if strings.HasPrefix(text, "--") && len(text) <= maxKey && strings.IndexByte(text, '=') < 0 {
				f.flag = text[2:]
			}
		}
	}
	if level != harmless && text != "" && w.sc.r.wants(kind, text) && judge(text, "", level, true, ':', false, false) {
		w.replace(start, end, mark(kind))
		w.sc.found = w.sc.found.add(kind)
		return
	}
	if len(text) < 6 {
		return
	}
	clean := text
	if nested := looksLikeJSON(text); nested && w.depth+len(w.stack) < w.sc.r.maxDepth && w.depth < 8 {
		w.sc.frames = w.stack[len(w.stack):] // a nested walk's are behind ours
		if out, ok := w.sc.json(text, w.depth+len(w.stack)+1); ok {
			clean = out
		} else {
			clean = w.sc.plain(text)
		}
	} else {
		clean = w.sc.plain(text)
	}
	if clean == text {
		return
	}
	if len(text) == len(raw) && strings.IndexByte(raw, '\\') < 0 {
		w.replace(start, end, clean)
		return
	}
	w.replace(start, end, escape(clean))
}

// memberName is the name of the member whose string value begins at start.
func (w *walk) memberName(start int) string {
	p := start - 2
	for p > 0 && (isSpace(w.src[p]) || w.src[p] == ':') {
		p--
	}
	if p <= 0 || w.src[p] != '"' {
		return ""
	}
	b := strings.LastIndexByte(w.src[max(0, p-20):p], '"')
	if b < 0 {
		return ""
	}
	return w.src[max(0, p-20)+b+1 : p]
}

// number handles a number: one under a secret's name is removed, and one that is a
// payment card's.
func (w *walk) number(start, end int) {
	v := w.src[start:end]
	kind := ""
	switch {
	case w.level == secret && len(v) > 1:
		kind = w.kind
	case w.sc.r.personal && len(v) >= 12 && len(v) <= 19 && isVersion(v):
		if from, to, k := numberAt(v, 0); k == "payment-card" && from == 0 && to == len(v) {
			kind = k
		}
	}
	if kind == "" || !w.sc.r.wants(kind, v) {
		return
	}
	w.replace(start, end, `"`+mark(kind)+`"`)
	w.sc.found = w.sc.found.add(kind)
}

// stringEnd is where the string that begins at p ends: its closing quote, or the end
// of the text.
func stringEnd(s string, p int) (end int, closed bool) {
	for {
		q := strings.IndexByte(s[p:], '"')
		if q < 0 {
			return len(s), false
		}
		p += q
		b := p - 1
		for b >= 0 && s[b] == '\\' {
			b--
		}
		if (p-1-b)%2 == 0 {
			return p, true
		}
		p++
	}
}

// valueEnd is where the object or array that begins at i ends, without recursion.
func valueEnd(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			end, _ := stringEnd(s, i+1)
			i = min(end, len(s)-1)
		}
		i++
	}
	return len(s)
}

// decode resolves a JSON string's escapes (RFC 8259, 7). What is no escape, or a
// cut-off one, is kept as it is. The text is valid until the scanner is released.
func (sc *scanner) decode(raw string) string {
	start := len(sc.buf)
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			next := strings.IndexByte(raw[i:], '\\')
			if next < 0 {
				next = len(raw) - i
			}
			sc.buf = append(sc.buf, raw[i:i+next]...)
			i += next
			continue
		}
		if i+1 >= len(raw) {
			sc.buf = append(sc.buf, c)
			break
		}
		i += 2
		switch raw[i-1] {
		case '"', '\\', '/':
			sc.buf = append(sc.buf, raw[i-1])
		case 'b':
			sc.buf = append(sc.buf, '\b')
		case 'f':
			sc.buf = append(sc.buf, '\f')
		case 'n':
			sc.buf = append(sc.buf, '\n')
		case 'r':
			sc.buf = append(sc.buf, '\r')
		case 't':
			sc.buf = append(sc.buf, '\t')
		case 'u':
			r, n := unicodeEscape(raw[i-2:])
			if n == 0 {
				sc.buf = append(sc.buf, '\\', 'u')
				continue
			}
			sc.buf = utf8.AppendRune(sc.buf, r)
			i += n - 2
		default:
			sc.buf = append(sc.buf, '\\', raw[i-1])
		}
	}
	// Growing buf leaves what was decoded before in the old array, which stays
	// as it is while a string points to it.
	return view(sc.buf[start:len(sc.buf):len(sc.buf)])
}

// unicodeEscape reads \uXXXX, or a surrogate pair of them, and how long it is.
func unicodeEscape(s string) (rune, int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if r >= 0xD800 && r < 0xDC00 {
		if low, ok := hex4(s[6:]); ok && low >= 0xDC00 && low < 0xE000 {
			return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, 12
		}
	}
	if r >= 0xD800 && r < 0xE000 {
		r = utf8.RuneError
	}
	return r, 6
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for i := 2; i < 6; i++ {
		c := s[i]
		switch {
		case isDigit(c):
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// escape writes text as the inside of a JSON string.
func escape(text string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return view(b)
}
