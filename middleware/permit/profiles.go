// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// compileProfiles checks the profiles that a rule names.
func (c *compiled) compileProfiles() (field, wrong string) {
	s := c.Shell
	if c.Effect != Allow && len(s.Profiles) > 0 {
		return "shell.profiles", "got profiles in a rule that does not allow, want programs"
	}
	if c.Effect != Allow && s.Network {
		return "shell.network", "got true in a rule that does not allow, want it in one that allows"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Profiles)) {
		p := profile.Find(name)
		if p == nil {
			return "shell.profiles", fmt.Sprintf("got %.40q, want a program that has a profile", name)
		}
		level := slices.Index(p.Names(), s.Profiles[name])
		if level < 0 {
			return "shell.profiles", fmt.Sprintf("got %.40q for %s, want %s", s.Profiles[name], name, strings.Join(p.Names(), ", "))
		}
		if c.levels == nil {
			c.levels = map[string]int{}
		}
		c.levels[p.Name] = level
	}
	return "", ""
}

// reads says what a rule allows by the name of a program alone: "git: read"; "" if the program has no profile.
func reads(program string) string {
	if p := profile.Find(program); p != nil {
		return p.Name + ": " + p.Names()[0]
	}
	return ""
}

// manyLevels reports whether a rule may want another level than the first.
func manyLevels(program string) bool {
	p := profile.Find(program)
	return p != nil && p.Splits()
}

// level is the level of the program's profile at which the rule allows the command; named is false if the rule
// does not name the command at all.
func (c *compiled) level(command *shell.Command) (level int, named bool) {
	level = -1
	raise := func(to int) { level, named = max(level, to), true }
	if to, ok := c.profiled(command.Name); ok {
		raise(to)
	}
	if c.programs != nil && glob.MatchAny(c.programs, command.Name) {
		raise(0)
	}
	for i, prefix := range c.prefixes {
		if begins(command, prefix) {
			raise(c.least[i])
		}
	}
	return level, named
}

// profiled is the level of the profile that the rule names for a program, under whichever of its names: python3, gmake.
func (c *compiled) profiled(program string) (level int, ok bool) {
	if c.levels == nil {
		return 0, false
	}
	p := profile.Find(strings.ToLower(program))
	if p == nil {
		return 0, false
	}
	level, ok = c.levels[p.Name]
	return level, ok
}

// lowest is the lowest level of a program's profile that has these first words; the lowest of all if none has.
func lowest(prefix []string) int {
	p := profile.Find(strings.ToLower(path.Base(prefix[0])))
	if p == nil {
		return 0
	}
	words := make([]shell.Word, len(prefix)-1)
	for i, w := range prefix[1:] {
		words[i] = shell.Word{Text: w, Known: true}
	}
	for level := range p.Names() {
		if p.Has(words, level) {
			return level
		}
	}
	return 0
}
