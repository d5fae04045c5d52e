// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/internal/display"
)

// OptionsOnly is for commands without arguments.
func OptionsOnly(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage("got argument %.40q, want options only", args[0])
	}
	return nil
}

// OneFile is for commands that read a file or standard input.
func OneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage("got %d files, want one, or - for standard input", len(args))
	}
	return nil
}

// DidYouMean returns " (did you mean …?)" with the names that are nearest to the given one, or "".
// Each name is printed with the prefix, such as "--".
func DidYouMean(name, prefix string, among []string) string {
	if prefix == "" && slices.Contains(among, name) { // it is right, and something else is wrong
		return ""
	}
	c := new(cobra.Command)
	for _, n := range among {
		c.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
	}
	for c.SuggestionsMinimumDistance = 1; c.SuggestionsMinimumDistance <= 2 && len(name) > 1; c.SuggestionsMinimumDistance++ {
		if found := c.SuggestionsFor(name); len(found) > 0 {
			return " (did you mean " + prefix + strings.Join(found[:min(3, len(found))], " or "+prefix) + "?)"
		}
	}
	return ""
}

// choice is the value of an option that accepts certain names only.
type choice struct {
	to    *string
	among []string
}

func (c choice) String() string { return *c.to }
func (c choice) Type() string   { return "NAME" }

func (c choice) Set(name string) error {
	if !slices.Contains(c.among, name) {
		return fmt.Errorf("want one of %s%s", strings.Join(c.among, ", "), DidYouMean(name, "", c.among))
	}
	*c.to = name
	return nil
}

// Choice defines an option that accepts the given names only. Shells complete them.
func Choice(c *cobra.Command, to *string, name, value string, among []string, usage string) {
	*to = value
	c.Flags().Var(choice{to, among}, name, usage+": "+strings.Join(among, ", "))
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(among, cobra.ShellCompDirectiveNoFileComp))
}

// wanted are the values that options of a type accept.
var wanted = map[string]string{
	"bool": "true or false", "duration": "a time with its unit, such as 30s or 5m", "int": "a whole number",
	"uint64": "a whole number, 0 or more",
}

// explainFlag puts an error of the flag parser into the words of this program.
func explainFlag(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case !c.HasParent() && c.Flags().NArg() > 0: // the options are those of the command that was meant
		return unknownCommand(c, c.Flags().Args())
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		want := invalid.Unwrap().Error()
		if w := wanted[f.Value.Type()]; w != "" {
			want = "want " + w
		}
		return Usage("--%s: got %s, %s", f.Name, display.Clip(fmt.Sprintf("%q", invalid.GetValue()), 60), want)
	case errors.As(err, &none):
		f := none.GetFlag()
		return Usage("--%s: got no value, want %s", f.Name, cmp.Or(wanted[f.Value.Type()], "one after it"))
	case errors.As(err, &unknown):
		name := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		name, _, _ = strings.Cut(name, "=")
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		return Usage("unknown option %s%.40s%s", dashes, name, DidYouMean(name, "--", names))
	}
	return Usage("%w", err)
}
