// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// Find returns the profile of a program by its name, in lower case and with or without a version: python3.11. nil
// is none.
func Find(program string) *Profile {
	all := profiles()
	if p := all[program]; p != nil {
		return p
	}
	if cut := strings.TrimRight(program, "0123456789.-"); cut != program && cut != "" {
		return all[cut]
	}
	return nil
}

// Names are the names of the levels, from the one that allows least.
func (p *Profile) Names() []string {
	names := make([]string, len(p.levels))
	for i, l := range p.levels {
		names[i] = l.name
	}
	return names
}

// Splits reports whether the levels of the profile are of different kinds: reading and writing archives, or
// subcommands.
func (p *Profile) Splits() bool { return len(p.levels) > 1 && (p.uses != nil || p.joined) }

// Top is the level that allows most.
func (p *Profile) Top() int { return len(p.levels) - 1 }

// A Use is what a profile says of a command.
type Use struct {
	Why    string       // the command is not in the profile; "" if it is
	Paths  []shell.Word // the words that are paths, or may be
	Writes []shell.Word // the files that are written
	Needs  []string     // of a sandbox
	// Opens are what the command opens that no argument names: tree (what lies below the paths), visible (of that
	// what no dot hides), links (what links there lead to), git (what a repository tracks), settings (of git).
	Opens   []string
	Changes []shell.Word // the files that are moved or made, which are not written by a name of their own
	// Dirs are the directories to which the command changes for itself.
	Dirs []string
	// Named says that an operand is a path; without one, a search is of the current directory.
	Named bool
	// Operands are those that are paths, or objects of git; the last Literal of them stand behind --.
	Operands []shell.Word
	Literal  int
	// Only are patterns of the names of files that a search opens; none is all.
	Only []string
}

// Check looks the words behind the program's name up, at a level. With guess, a computed argument of what the
// lowest level has is taken for an operand.
func (p *Profile) Check(words []shell.Word, level int, guess bool) Use {
	c := checker{p: p, level: level, at: p.global, guess: guess}
	for i, need := range p.levels[:level+1] {
		if p.uses == nil || i == 0 {
			c.use.Needs = append(c.use.Needs, need.needs...)
		}
	}
	if p.joined && len(words) > 0 && words[0].Text != "" && words[0].Text[0] != '-' {
		words = c.letters("-"+words[0].Text, words[0], words[1:], true)
	}
	for len(words) > 0 && c.use.Why == "" {
		if c.module != nil {
			use := c.module.Check(words, 0, guess)
			use.Needs = c.use.Needs
			return use
		}
		words = c.word(words[0], words[1:])
	}
	if c.use.Why == "" {
		c.finish()
		if c.saw([]string{"--exclude", "--exclude-from", "--iglob"}) { // other files are searched, too
			c.use.Only = nil
		}
		c.addOpens(c.p.global)
		if c.at != c.p.global {
			c.addOpens(c.at)
		}
		if slices.Contains(c.use.Opens, "tree") {
			c.use.Changes = append(c.use.Changes, c.archives...)
		}
		c.use.Paths = append(c.use.Paths, c.archives...)
	}
	return c.use
}

func (c *checker) addOpens(u *use) {
	for _, o := range u.opens {
		if (len(o.options) == 0 || c.saw(o.options)) && !c.saw(o.unless) {
			c.use.Opens = append(c.use.Opens, o.what)
		}
	}
}

// Has reports whether a level has a command that begins with these words.
func (p *Profile) Has(words []shell.Word, level int) bool {
	c := checker{p: p, level: level, at: p.global}
	for len(words) > 0 && c.use.Why == "" {
		words = c.word(words[0], words[1:])
	}
	return c.use.Why == ""
}

// checker reads the words of one command.
type checker struct {
	p        *Profile
	level    int
	at       *use
	sub      string // the subcommand
	inside   bool   // behind the subcommand
	literal  bool   // behind --
	operands []shell.Word
	stands   bool // an option stands for the first operand
	guess    bool
	seen     []string // options
	archives []shell.Word
	use      Use
	module   *Profile // to which the words that follow belong
	dashed   int      // operands behind --
}

func (c *checker) refuse(why string) {
	if c.use.Why == "" {
		name := c.p.Name
		if c.sub != "" {
			name += " " + strings.ReplaceAll(c.sub, "/", " ")
		}
		c.use.Why = name + ": " + why
	}
}

// word reads one word, and the value behind it.
func (c *checker) word(w shell.Word, rest []shell.Word) []shell.Word {
	t := w.Text
	w.Loose = w.Loose && !w.Pipe
	switch {
	case c.takesAny():
		c.notePaths(w)
		for _, w := range rest {
			c.notePaths(w)
		}
		return nil
	case w.Loose && !c.literal && c.guess && !c.at.exact && c.at.lowest() == 0 && (c.inside || c.p.uses == nil):
	case w.Loose && !c.literal:
		c.refuse("an argument that may be an option")
	case !c.literal && t == "--" && !c.p.words:
		c.literal = true
	case c.literal || len(t) < 2 || t[0] != '-' || c.p.words && t == "--":
		return c.operand(w, rest)
	case c.p.words || strings.HasPrefix(t, "--"):
		return c.long(w, rest)
	default:
		return c.letters(t, w, rest, false)
	}
	return rest
}

// takesAny reports whether what follows is any text: the arguments of a program that go run starts, say.
func (c *checker) takesAny() bool {
	count := len(c.operands)
	if c.stands {
		count++
	}
	if c.p.uses != nil && (!c.inside || count == 0) {
		return false
	}
	for _, a := range c.at.args {
		if a.level <= c.level && a.kinds[min(count, len(a.kinds)-1)] == "any" {
			return true
		}
	}
	return false
}

// notePaths notes a word of any kind, or the value behind its =, as what may be a path: pytest --junitxml=/etc/x.
func (c *checker) notePaths(w shell.Word) {
	if !w.Known {
		return
	}
	if _, value, ok := strings.Cut(w.Text, "="); ok && w.Text[0] == '-' {
		w.Text = value
	}
	if w.Text != "" && w.Text[0] != '-' {
		c.use.Paths = append(c.use.Paths, w)
	}
}

// operand is the subcommand, or an operand.
func (c *checker) operand(w shell.Word, rest []shell.Word) []shell.Word {
	if c.p.uses == nil || c.inside {
		c.operands = append(c.operands, w)
		if c.literal {
			c.dashed++
		}
		return rest
	}
	c.inside = true
	name := w.Text
	if len(rest) > 0 && rest[0].Known && c.p.parents[name] && c.p.uses[name+"/"+rest[0].Text] != nil {
		name, rest = name+"/"+rest[0].Text, rest[1:]
	}
	u := c.p.uses[name]
	lowest := -1
	if u != nil {
		lowest = u.lowest()
	}
	c.sub = name
	if !w.Known || u == nil || lowest > c.level {
		c.refuse("a subcommand that the profile does not have")
		return nil
	}
	c.at = u
	c.use.Needs = c.p.levels[lowest].needs
	return rest
}

// lowest is the lowest level that has the subcommand.
func (u *use) lowest() int {
	if len(u.args) == 0 {
		return 0
	}
	return u.args[0].level
}

// saw reports whether one of the options was there.
func (c *checker) saw(options []string) bool {
	return slices.ContainsFunc(options, func(name string) bool { return slices.Contains(c.seen, name) })
}

// see notes an option.
func (c *checker) see(option string) { c.seen = append(c.seen, option) }

// long reads an option that is a whole word.
func (c *checker) long(w shell.Word, rest []shell.Word) []shell.Word {
	name, value, has := strings.Cut(w.Text, "=")
	if c.p.words && strings.HasPrefix(name, "--") {
		name = name[1:]
	}
	o, ok := c.at.options[name]
	c.see(name)
	switch {
	case !ok || o.level > c.level:
		c.refuse("the option " + shell.Clip(name) + " is not in the profile")
	case has:
		c.value(o, shell.Word{Text: value, Known: w.Known})
	case o.value != "" && !o.maybe:
		return c.next(o, rest)
	case !w.Known:
		c.refuse("an option that is computed")
	}
	return rest
}

// next takes the next word for an option's value.
func (c *checker) next(o option, rest []shell.Word) []shell.Word {
	if len(rest) == 0 {
		c.refuse("an option without its value")
		return nil
	}
	if w := rest[0]; w.Split || w.Loose && strings.ContainsAny(w.Text, "*?[{") {
		c.refuse("a value that may be several words")
	}
	c.value(o, rest[0])
	return rest[1:]
}

// letters reads options of one letter each. Without a dash, all values are in the words that follow.
func (c *checker) letters(t string, w shell.Word, rest []shell.Word, joined bool) []shell.Word {
	if !w.Known {
		c.refuse("an option that is computed")
		return nil
	}
	if _, ok := c.at.options["-#"]; ok && shell.IsNumber(t[1:]) {
		return rest
	}
	for i := 1; i < len(t); i++ {
		o, ok := c.at.options["-"+t[i:i+1]]
		c.see("-" + t[i:i+1])
		switch {
		case !ok || o.level > c.level:
			c.refuse("the option -" + t[i:i+1] + " is not in the profile")
			return nil
		case o.value == "":
			continue
		case joined:
			rest = c.next(o, rest)
			continue
		case i+1 < len(t):
			c.value(o, shell.Word{Text: t[i+1:], Known: true})
		case !o.maybe:
			return c.next(o, rest)
		}
		return rest
	}
	return rest
}

func (c *checker) value(o option, w shell.Word) {
	c.stands = c.stands || o.stands
	if o.value == "" {
		c.refuse("a value for an option that has none")
		return
	}
	if !c.kind(o.value, w) {
		c.refuse("the value " + shell.Clip(w.Text) + " is not in the profile")
	}
}

// finish judges the operands, by the first list of kinds that fits.
func (c *checker) finish() {
	if c.use.Why != "" || len(c.operands) == 0 && !c.at.full() {
		return
	}
	lists := c.at.args
	if lists == nil {
		lists = []operands{{0, []string{"path"}}}
	}
	paths := len(c.use.Paths)
	for _, a := range lists {
		if a.level > c.level {
			continue
		}
		c.use.Paths, c.use.Operands = c.use.Paths[:paths], nil
		if c.fit(a.kinds) {
			c.use.Literal = min(c.dashed, len(c.use.Operands))
			if len(a.kinds) > 0 && c.p.uses != nil {
				c.use.Needs = c.p.levels[max(a.level, c.at.lowest())].needs
			}
			return
		}
	}
	c.refuse("an argument that is not in the profile")
}

// full reports whether the operands must all be there: without them the program reads from its input.
func (u *use) full() bool {
	return len(u.args) > 0 && strings.HasSuffix(u.args[0].kinds[len(u.args[0].kinds)-1], "+")
}

func (c *checker) fit(kinds []string) bool {
	if c.at.full() && len(c.operands) < len(kinds) {
		return false
	}
	first := 0
	if c.stands && len(kinds) > 1 {
		first = 1
	}
	for i, w := range c.operands {
		kind := strings.TrimSuffix(kinds[min(first+i, len(kinds)-1)], "+")
		if !c.kind(kind, w) {
			return false
		}
		if kind == "path" || kind == "change" {
			c.use.Named = true
			c.use.Operands = append(c.use.Operands, w)
		}
	}
	return true
}

// Programs are the names of the programs that have a profile.
func Programs() []string { return slices.Sorted(maps.Keys(profiles())) }
