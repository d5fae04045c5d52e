// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
)

// complain prints why a command failed. Each of several errors that were joined, such as those
// of a configuration file, has a line of its own.
func complain(stderr io.Writer, command string, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(stderr, "toolscope %s: %s\n", command, display.Plain(line))
	}
}

// noApprovals adds to an error of [toolscope.New] what to write in a configuration file whose approvals cannot ask
// a person in this command, which serves no approvals. config is the file's path, "" for the command's own.
func noApprovals(command, config string, err error) error {
	if config == "" || !errors.Is(err, approve.ErrCannotAsk) {
		return err
	}
	return fmt.Errorf("%s: policies.approve: toolscope %s serves no approvals, want terminal: true and a terminal, or "+
		"unattended: true to refuse these calls: %w", config, command, err)
}

var unread = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): parse error$`)

// flagError is what package flag says, but for values that it calls a "parse error" and no
// more: then also what is wanted.
func flagError(f *flag.FlagSet, err error) string {
	found := unread.FindStringSubmatch(err.Error())
	if found == nil {
		return display.Plain(err.Error())
	}
	wanted := "a whole number"
	if g, ok := f.Lookup(found[2]).Value.(flag.Getter); ok {
		switch g.Get().(type) {
		case time.Duration:
			wanted = "a time with its unit, such as 30s or 5m"
		case bool:
			wanted = "true or false"
		}
	}
	return fmt.Sprintf("--%s: got %s, want %s", found[2], display.Clip(found[1], 60), wanted)
}
