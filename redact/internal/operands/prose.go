// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/values"
)

const (
	// maxProse is how far behind a name in running text its value is looked for, in bytes.
	maxProse = 100
	// maxLink is the longest of linkWords and fillers, in bytes.
	maxLink = 11
	// maxProseWords is how many words may stand between.
	maxProseWords = 6
)

// The words of running text between a name and its value: linkWords say that the value follows, fillers
// stand between; withWords stand before a name whose value follows directly: with password x.
var (
	linkWords = names.Set("is was are ist lautet war est era jest är on é è este sind = -> → — – => " +
		"это equals become becomes it's es er from von de to with fue - be هي là value edit " +
		"будет είναι je olan será sera ser będzie wird as")
	// setLinks link only behind a verb that sets, or behind a name that is a word of a language.
	setLinks = names.Set("to as with on de be")
	setVerbs = names.Set("set change changed reset update updated setze ändere fill fills filled should will")
	fillers  = names.Set("now still currently again set changed temporarily jetzt noch aktuell maintenant ahora ora " +
		"agora the a nun nu teraz most nyní nå acum сейчас теперь şimdi")
	withWords = names.Set("use the your my new this with and using mit con avec com med met z und et y e og " +
		"och uses pass: password wifi connect try trying tried")
)

// ofWords say what a name belongs to, in several languages.
const ofWords = "for of to on at from von für pour de para per till til för voor dla k od " +
	"от для di do da del della des du dell' in"

// aboutUsers are words behind whose colon a name stands rather than a password: password of user: ann1.
var aboutUsers = names.Set("user username login account email host file line error code id in")

// particles stand directly behind a name in scripts without blanks, and link it with its value.
var particles = [...]string{"は", "是", "为", "為", "는", "은", "이", "คือ", "："}

// A prose reads the words behind a name in running text.
type prose struct {
	s       string
	limit   int  // where to stop reading
	scripts bool // the name is a word of a language, and no name in source code
	linked  bool // a word said that the value follows
	set     bool // setLinks link
	colon   bool // the last word ended with a colon: the token you asked for: x
	about   bool // the first word said what the name belongs to
	owner   bool // the last word did
	belongs bool // a word linked, or the first word said what the name belongs to: password for ann: x
}

// ProseValue is the value of the name [start,stop) in running text: the password for ann is x, with
// password x, password → x. It looks like a password, or is quoted behind a word that links. scripts tells
// that the name is a word of a language, and no name in source code.
func ProseValue(s string, start, stop int, scripts bool) (from, to int) {
	r := prose{s: s, limit: min(len(s), stop+maxProse), scripts: scripts}
	p, ok := r.begin(start, stop)
	if !ok {
		return 0, 0
	}
	first := s[min(p+1, len(s)):r.wordEnd(min(p+1, len(s)))]
	r.about = chars.OneOf(ofWords, first)
	for range maxProseWords {
		p = chars.Skip(s[:r.limit], p, chars.Blank)
		if from, to = r.enclosed(p); to > from {
			return from, to
		}
		end := r.wordEnd(p)
		if end == p || end == r.limit && r.limit < len(s) {
			return 0, 0
		}
		if from, to = r.plain(p, end); to > from {
			return from, to
		}
		if to = r.simpleEnd(p, end, first); to > 0 {
			return p, to
		}
		if end < len(s) && s[end] == '\n' && s[end-1] == ':' { // use the password below:
			return ValueBelow(s, p, end-1)
		}
		if end < len(s) && s[end] == '\n' || strings.IndexByte(".;?!", s[end-1]) >= 0 {
			return 0, 0
		}
		r.belongs = r.belongs || r.linked || s[end-1] == ':' && r.about
		r.learn(s[p:end])
		p = end
	}
	return 0, 0
}

// begin looks at what stands directly around the name, and returns where the words behind it begin; ok is false if
// none do.
func (r *prose) begin(start, stop int) (p int, ok bool) {
	s := r.s
	before := wordBefore(s, start)
	r.linked = r.scripts && (before != "" ||
		start > 1 && s[start-1] == ' ' && (s[start-2] == ',' || s[start-2] >= 0x80)) || withWords[strings.ToLower(before)]
	r.set = r.scripts || setVerbs[strings.ToLower(before)] ||
		before != "" && setVerbs[strings.ToLower(wordBefore(s, start-len(before)-1))]
	if r.scripts {
		for _, particle := range particles {
			if strings.HasPrefix(s[stop:], particle) {
				r.linked = true
				return stop + len(particle), true
			}
		}
	}
	if p = stop; p+1 < r.limit && (s[p] == ',' || s[p] == ';') && s[p+1] == ' ' {
		p++
	} else if strings.HasPrefix(s[p:], "'s ") {
		p, r.linked = p+2, true
	} else if p < r.limit && inQuotes(s, start, p) && strings.HasPrefix(s[p+1:], " is ") { // 'db.password' is set to
		p++
	}
	return p, p < r.limit && s[p] == ' '
}

// wordEnd is the end of the word that begins at p.
func (r *prose) wordEnd(p int) int {
	for p < r.limit && !chars.IsSpace(r.s[p]) {
		p++
	}
	return p
}

// enclosed is the value that stands at p in quotes or in an element, if a word has linked it: is <b>x</b>.
func (r *prose) enclosed(p int) (from, to int) {
	if !r.linked {
		return 0, 0
	}
	if p+1 < r.limit && r.s[p] == '<' && chars.IsLetter(r.s[p+1]) {
		if open := strings.IndexByte(r.s[p:r.limit], '>'); open > 0 {
			from = p + open + 1
			to = elementEnd(r.s, from)
			if values.LooksLikePassword(r.s[from:to]) {
				return from, to
			}
		}
	}
	return quotedWord(r.s, p, r.limit)
}

// plain is the value that is the word [p,end), without the punctuation around it, if it is one.
func (r *prose) plain(p, end int) (from, to int) {
	from, to = p, chars.SkipBackAny(r.s, p, end, ".,;:!?)\"'`*")
	if to < end && r.s[to] == '!' && chars.HasDigit(r.s[from:to]) { // of Summer20! the mark belongs to it
		to++
	}
	if word := r.s[from:to]; to < end && strings.IndexByte("!*", r.s[to]) >= 0 && word != "" &&
		strings.ToLower(word[1:]) != word[1:] &&
		!values.LooksLikePassword(word) {
		to++ // of EaselBeacon!
	}
	word := r.s[from:to]
	switch {
	case (r.colon || r.linked) && len(word) >= longWord && chars.HasDigit(word) && chance.Random(word):
	case r.linked && values.LooksLikePassword(word) && values.LooksLikePassword(strings.TrimRight(word, ">]}.")):
	case r.scripts && r.about && !r.owner && strings.IndexByte(word, '.') < 0 && values.LooksLikePassword(word):
	case r.linked && r.colon && len(word) >= 4 && chars.HasDigit(word) && r.endsLine(end):
	default:
		return 0, 0
	}
	return from, to
}

// simpleEnd is the end of the number, or of the word with one, that is the word [p,end), if it is said to be the value, 0
// otherwise. The first word behind the name has to link or say what the name belongs to, and nothing is counted: no
// word in the plural follows.
func (r *prose) simpleEnd(p, end int, first string) int {
	to := chars.SkipBackAny(r.s, p, end, ".,;:!?)")
	if !r.linked || r.owner || !values.MayBeSimple(r.s[p:to]) || !r.scripts && strings.HasSuffix(r.s[:p], " on ") {
		return 0
	}
	if first != r.s[p:end] && !linkWords[first] && !r.about || to == end && !r.endsLine(end) &&
		strings.HasSuffix(r.s[end:r.wordEnd(min(end+1, len(r.s)))], "s") {
		return 0
	}
	return to
}

// endsLine reports whether nothing stands between end and the end of the line.
func (r *prose) endsLine(end int) bool {
	return end == len(r.s) || r.s[end] == '\n' || r.s[end] == '\r'
}

// learn notes what a word that is not the value says of the next one.
func (r *prose) learn(word string) {
	r.colon = word[len(word)-1] == ':'
	r.owner = chars.OneOf(ofWords, word)
	if chars.IsUpper(word[0]) {
		word = strings.ToLower(word)
	}
	word = strings.TrimRight(word, ":,")
	switch long := len(word) > maxLink; {
	case !long && linkWords[word] && (r.set || !setLinks[word]), (r.scripts || r.belongs && !aboutUsers[word]) && r.colon:
		r.linked = true
	case long || r.linked && !fillers[word]:
		r.linked = false
	}
	r.set = r.set || setVerbs[word]
}

// quotedWord is the inside of the quotes at p, of any script.
func quotedWord(s string, p, limit int) (from, to int) {
	for _, quotes := range [...][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"「", "」"}, {"『", "』"}, {"“",
		"”"},
		{"„", "“"}, {"«", "»"}, {"‘", "’"}} {
		if strings.HasPrefix(s[p:], quotes[0]) {
			from = p + len(quotes[0])
			n := strings.Index(s[from:limit], quotes[1])
			if n < 0 {
				continue
			}
			to = from + n
			for _, blank := range [...]string{" ", "\u00a0", "\u202f"} { // as French has them
				from += len(s[from:to]) - len(strings.TrimPrefix(s[from:to], blank))
				to = from + len(strings.TrimSuffix(s[from:to], blank))
			}
			if to > from && strings.IndexByte(s[from:to], ' ') < 0 && !values.IsProgramName(s[from:to]) {
				return from, to
			}
		}
	}
	return 0, 0
}

// wordBefore is the word before start, in running text.
func wordBefore(s string, start int) string {
	if start == 0 || s[start-1] != ' ' {
		return ""
	}
	end := start - 1
	return s[chars.SkipBack(s, max(0, end-16), end, chars.Lower|chars.Upper):end]
}

// enterVerbs say that what stands between them and a field is typed into it.
var enterVerbs = names.Set("typed type types typing entered enter enters entering filled fill fills filling " +
	"input inputs select put wrote write pasted paste set setting send sent encrypt_string" +
	"with using use try tried rejected rejects accepted accepts refused refuses " +
	"tested gave got move")

// EnteredValue is what is typed into the field whose name begins at start: type 'x' into #password,
// entered x in the password field.
func EnteredValue(s string, start int) (from, to int) {
	low := max(0, start-maxProse)
	p := chars.SkipBackAny(s, low, start, "#\"'`[(:. ")
	for range 4 {
		q := chars.SkipBack(s, low, p, chars.Lower|chars.Upper)
		word := strings.ToLower(s[q:p])
		p = chars.SkipBackAny(s, low, q, " -\"'`")
		switch word {
		case "into", "in", "to", "for", "as", "name":
			return enteredBefore(s, low, chars.SkipBack(s, low, q, chars.Blank))
		case "is":
			if to = chars.SkipBackAny(s, low, q, " \"'`"); to < q {
				from = to
				for from > low && !chars.IsSpace(s[from-1]) && strings.IndexByte("\"'`", s[from-1]) < 0 {
					from--
				}
			}
			if !values.LooksLikePassword(s[from:to]) {
				return 0, 0
			}
			return from, to
		case "":
			return 0, 0
		}
	}
	return 0, 0
}

// maxStatement is how much of a statement of SQL is read before a name, in bytes.
const maxStatement = 300

// enteredBefore is the word or literal that ends at p, if a verb stands before it.
func enteredBefore(s string, low, p int) (from, to int) {
	if p <= low {
		return 0, 0
	}
	from, to = p, p
	if quote := s[p-1]; quote == '"' || quote == '\'' || quote == '`' {
		to = p - 1
		from = low + strings.LastIndexByte(s[low:to], quote) + 1
		p = from - 1
		if from == low {
			return 0, 0
		}
	} else {
		for from > low && !chars.IsSpace(s[from-1]) {
			from--
		}
		if p = from; !values.LooksLikePassword(s[from:to]) {
			return 0, 0
		}
	}
	verb := chars.SkipBack(s, low, p, chars.Blank)
	if !enterVerbs[strings.ToLower(s[chars.SkipBack(s, low, verb, chars.Name):verb])] {
		return 0, 0
	}
	return from, to
}

// ChangedTo is the second of two values of which the first ends at stop: from x to y.
func ChangedTo(s string, stop int) (from, to int) {
	for _, link := range [...]string{" to ", " auf ", " a ", " à ", " naar ", `" -> "`, `' -> '`, `' TO '`, `' to '`} {
		if strings.HasPrefix(s[stop:], link) {
			from = stop + len(link)
			if quote := s[from-1]; quote != ' ' {
				return from, QuoteEnd(s, from, quote)
			}
			to = chars.SkipBackAny(s, from, bareEnd(s, from), ".,;:?)\"'`")
			if values.LooksLikePassword(s[from:to]) {
				return from, to
			}
		}
	}
	return 0, 0
}

// LoginPair is the second of two words with a slash or a colon between them, of which the first begins at start:
// credentials: ann / x, credentials: ann:x.
func LoginPair(s string, start, end int) (from, to int) {
	if end < len(s) && s[end] == ':' {
		end = bareEnd(s, end+1)
	}
	if i := strings.IndexByte(s[start:end], ':'); i > 0 && chars.IsFieldLike(s[start:start+i]) {
		from, to = start+i+1, end
	} else if p := chars.Skip(s, end, chars.Blank); p+1 < len(s) && p > end && s[p] == '/' && s[p+1] == ' ' &&
		chars.IsFieldLike(s[start:end]) {
		from = p + 2
		to = bareEnd(s, from)
	} else if chars.HasFold(s, end, " and ") && chars.IsFieldLike(s[start:end]) && !chars.IsUpper(s[start]) {
		from = end + len(" and ")
		to = chars.SkipBackAny(s, from, bareEnd(s, from), ".")
	} else if strings.HasPrefix(s[end:], ", ") && chars.IsFieldLike(s[start:end]) && !chars.IsUpper(s[start]) {
		from = end + len(", ")
		to = chars.SkipBackAny(s, from, bareEnd(s, from), ".")
	}
	if from == 0 || !values.LooksLikePassword(s[from:to]) && !values.MayBeSimple(s[from:to]) {
		return 0, 0
	}
	return from, to
}

// ValueBelow is the value of the name [start,stop) that stands alone on the next line, or on the one behind it or
// behind a ruler, below a line that ends with the name and a colon, a question mark or asterisks at most:
//
//	Your password:      **API key**     Question: Password?
//	  x                 x               Answer: x
func ValueBelow(s string, start, stop int) (from, to int) {
	if from, to = answerBelow(s, start, stop); to > from {
		return from, to
	}
	if chars.HasFold(s, stop, " again?") {
		stop += len(" again")
	}
	p := chars.SkipAny(s[:min(len(s), stop+8)], stop, "`*:? ')\"]")
	if p >= len(s) || s[p] != '\n' && s[p] != '\r' {
		return 0, 0
	}
	bare := strings.IndexByte(s[stop:p], ':') < 0
	question := strings.IndexByte(s[stop:p], '?') >= 0 || chars.EndsFold(s[:start], "question: ") ||
		chars.EndsFold(s[:start], "prompt: ")
	p, lines := textBelow(s, p)
	if lines == 0 || p >= len(s) || bare && !question && lines > 1 || strings.IndexByte("{[<|(", s[p]) >= 0 {
		return 0, 0
	}
	if from = p; question {
		from = chars.SkipAnswer(s, p)
	}
	line := s[from:min(len(s), from+chance.MaxValue)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	line = strings.TrimRight(line, " \t\r*`\"'")
	constant := strings.IndexByte(line, '_') > 0 && strings.ToUpper(line) == line
	if !bare && values.MayBeSimple(line) {
		return from, from + len(line)
	}
	if !values.LooksLikePassword(line) || constant || bare && isAssignment(line) ||
		strings.ContainsAny(line, "'\"\\") || bare && from == p &&
		!chance.Plausible(line) && !chars.HasSpecial(line) &&
		(strings.ToLower(line) == line || !chars.HasDigit(line)) {
		return 0, 0
	}
	return from, from + len(line)
}

// debugHead begins the lines in which GitHub's runner tells what an expression is.
const debugHead = "##[debug]"

// textBelow is where the text below the line that ends at p begins, and how many lines below: three at most,
// 0 if there is none. The line may have a ruler right below it, which is not counted.
func textBelow(s string, p int) (from, lines int) {
	for ; lines < 3 && p < len(s) && (s[p] == '\n' || s[p] == '\r'); lines++ {
		end := chars.SkipAny(s, p, " \t\r")
		if end >= len(s) || s[end] != '\n' {
			break
		}
		if p = end + 1; strings.HasPrefix(s[p:], debugHead) {
			p += len(debugHead)
		}
		if p = chars.SkipAny(s, p, " \t=>*`\"'"); lines == 0 {
			if ruler := chars.SkipAny(s, p, "-=~"); ruler > p+2 {
				p, lines = ruler, -1
			}
		}
	}
	return p, lines
}

// promptMarks begin a line of a shell that prints an expression or a variable.
var promptMarks = [...]string{"> ", ">>> ", "$ ", "# ", "(gdb) ", "(lldb) ", "irb> ", "(Pdb) ", "127.0.0.1:6379> "}

// promptHeads are the first bytes of promptMarks.
const promptHeads = ">$#(i1"

// answerBelow is the value that a shell prints on the line below the one that ends with the name [start,stop), closed
// by quotes and brackets at most: print(secret.password). It may stand behind a number and another literal:
//
//	(gdb) p cfg->password         > CONFIG GET requirepass     <ann> what's the db password again?
//	$1 = 0x55b9 "x"               1) "requirepass"             <bob> x
//	                              2) "x"
func answerBelow(s string, start, stop int) (from, to int) {
	p := chars.SkipAny(s[:min(len(s), stop+6)], stop, "'\"`)]};")
	question := p
	for range 3 { // again?
		if question < len(s) && s[question] == ' ' {
			question = chars.Skip(s[:min(len(s), question+12)], question+1, chars.Lower)
		}
	}
	line := s[max(0, start-maxProse):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	chat := len(line) > 1 && line[0] == '<' && chars.IsLetter(line[1])
	if chat && question < len(s) && s[question] == '?' {
		p = question + 1
	}
	if !chat && printsIt(line) { // $ vault read -field=password secret/db
		p += max(0, strings.IndexByte(s[p:min(len(s), p+maxStatement)], '\n'))
	}
	if p+2 >= len(s) || s[p] != '\n' {
		return 0, 0
	}
	p++
	switch {
	case chat:
		nick := strings.IndexByte(s[p:min(len(s), p+24)], '>')
		if s[p] != '<' || nick < 0 || p+nick+2 > len(s) {
			return 0, 0
		}
		p += nick + len("> ")
	case isNumbered(line): // the odd ones are names
		if q := chars.SkipAny(s, p, " 0123456789"); strings.HasPrefix(s[q:], ") \"") && q > p && (s[q-1]-'0')%2 == 0 {
			p = q + len(") \"")
			break
		}
		return 0, 0
	case !startsWithPrompt(line):
		return 0, 0
	case s[p] == '$' && p+1 < len(s) && chars.IsDigit(s[p+1]): // of gdb
		end := p + indexOr(s[p:], "\n")
		open := strings.IndexByte(s[p:end], '"')
		if open < 0 {
			return 0, 0
		}
		p += open + 1
	default:
		p = chars.SkipAny(s, p, "'\"=> ")
	}
	to = p + indexOr(s[p:min(len(s), p+maxAfar)], "\n")
	to = chars.SkipBackAny(s, p, min(to, len(s)), " \r\"'")
	if v := s[p:to]; strings.IndexByte(v, ' ') >= 0 || !values.LooksLikePassword(v) && !values.MayBeSimple(v) {
		return 0, 0
	}
	return p, to
}

// isNumbered reports whether a line begins an item of a list in quotes whose number is odd: 3) "
func isNumbered(line string) bool {
	n := chars.SkipAny(line, 0, " 0123456789")
	return n > 0 && line[n:] == ") \"" && (line[n-1]-'0')%2 == 1
}

// printsIt reports whether the command on a line is one that prints what is named behind it.
func printsIt(line string) bool {
	if !strings.HasPrefix(line, "$ ") {
		return false
	}
	for _, verb := range [...]string{" get", " read", " show", " access", " cat ", " --extract", " printenv"} {
		if strings.Contains(line, verb) {
			return true
		}
	}
	return false
}

func startsWithPrompt(line string) bool {
	if line == "" || strings.IndexByte(promptHeads, line[0]) < 0 {
		return false
	}
	for _, mark := range promptMarks {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// isAssignment reports whether a line gives another name a value: name=value.
func isAssignment(line string) bool {
	name, value, _ := strings.Cut(line, "=")
	return len(value) > 2 && chars.IsDotted(name)
}

// longWord is the shortest word that may be drawn by chance, in bytes.
const longWord = 16
