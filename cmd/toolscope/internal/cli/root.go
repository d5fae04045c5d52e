// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
)

// setUpCobra sets what cobra has for all programs.
var setUpCobra = sync.OnceFunc(func() {
	cobra.EnableCommandSorting = false
	cobra.MousetrapHelpText = "" // an MCP client may start the program any way it likes
})

// Program sets up root, the whole program, with its commands. version is what --version prints.
func Program(root *cobra.Command, version string, commands ...*cobra.Command) *cobra.Command {
	setUpCobra()
	root.Version = version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _, _ = io.WriteString(c.OutOrStdout(), help(c)) })
	root.Args = unknownCommand
	root.RunE = func(c *cobra.Command, _ []string) error {
		_, _ = io.WriteString(c.ErrOrStderr(), help(c))
		return Exit(ExitUsage)
	}
	root.AddCommand(commands...)
	root.AddCommand(manCommand())
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "show the options of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || c == root && len(rest) > 0 {
				return unknownCommand(root, args)
			}
			return c.Help()
		},
	})
	return root
}

// complete adds the commands that cobra makes; their output has to be known by then.
func complete(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	walk(root, func(c *cobra.Command) {
		c.DisableFlagsInUseLine = true
		c.Flags().SortFlags = false
		if c.Name() == "completion" {
			c.Short = "print a script that completes options and names in a shell"
		}
	})
}

// walk visits a command and those below it.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
}

// unknownCommand is the error of a name that no command has; nil without any name.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return Usage("got command %.40q, want one of %s%s", args[0], strings.Join(names, ", "), DidYouMean(args[0], "", names))
}

// The keys of a command's annotations, and of an option's.
const (
	forms = "forms" // further lines of usage
	exit  = "exit"  // what the exit codes are
	group = "group" // the title above an option, "" for Options
)

// Notes are what the help of a command has in addition to cobra's texts: exitCodes is put between
// "Exit code: 0" and "2 for a usage error", and each of furtherForms is a line of usage.
func Notes(exitCodes string, furtherForms ...string) map[string]string {
	return ExitNotes("0"+exitCodes+", 2 for a usage error.", furtherForms...)
}

// ExitNotes is [Notes] with the whole sentence about exit codes.
func ExitNotes(exitCodes string, furtherForms ...string) map[string]string {
	return map[string]string{exit: exitCodes, forms: strings.Join(furtherForms, "\n")}
}

// Group defines options that the help lists below a title.
func Group(c *cobra.Command, title string, define func(*pflag.FlagSet)) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	define(f)
	f.VisitAll(func(x *pflag.Flag) { x.Annotations = map[string][]string{group: {title}} })
	c.Flags().AddFlagSet(f)
}

// helpWidth is how wide help is, in characters.
const helpWidth = 90

// help returns a command's help.
func help(c *cobra.Command) string {
	var b strings.Builder
	first, more, _ := strings.Cut(strings.TrimSpace(description(c)), "\n\n")
	fmt.Fprintf(&b, "%s\n\nUsage: %s\n", filled(first), c.UseLine())
	for form := range strings.Lines(c.Annotations[forms]) {
		fmt.Fprintf(&b, "       %s %s\n", c.Root().Name(), strings.TrimSpace(form))
	}
	if more != "" {
		fmt.Fprintf(&b, "\n%s\n", filled(more))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	writeOptions(&b, c)
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	if codes, ok := c.Annotations[exit]; ok {
		fmt.Fprintf(&b, "\n%s\n", filled("Exit code: "+codes))
	}
	if !c.HasParent() {
		fmt.Fprintf(&b, "\nRun '%[1]s COMMAND --help' for a command's options. Begin with '%[1]s demo'.\n", c.Name())
	}
	return b.String()
}

// filled returns text with the lines of each paragraph filled up to the width of help. Lines that begin
// with a blank stay as they are.
func filled(text string) string {
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, screen.Wrap(strings.Join(paragraph, " "), helpWidth)...)
		}
		paragraph = nil
	}
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	for i, line := range out {
		out[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(out, "\n")
}

// description is what a command does, at length where there is such a text.
func description(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.CommandPath() + ": " + c.Short + "."
}

// writeOptions writes the options below their titles.
func writeOptions(b *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	sets := map[string]*pflag.FlagSet{}
	var titles []string
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		title := "Options"
		if t := f.Annotations[group]; len(t) > 0 {
			title = t[0]
		}
		if sets[title] == nil {
			sets[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
			sets[title].SortFlags = false
			titles = append(titles, title)
		}
		sets[title].AddFlag(f)
	})
	for _, title := range titles {
		fmt.Fprintf(b, "\n%s:\n%s", title, sets[title].FlagUsagesWrapped(helpWidth))
	}
}
