// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand is the command that writes manual pages.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIRECTORY]",
		Short: "print the manual page, or write that of each command to a directory",
		Example: "  toolscope man | man -l -\n" +
			"  toolscope man /usr/local/share/man/man1",
		Annotations: Notes(", 1 if a page cannot be written"),
		Args:        cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			walk(root, func(c *cobra.Command) {
				c.Long = description(c)
				if codes, ok := c.Annotations[exit]; ok {
					c.Long += "\n\nExit code: " + codes
				}
				c.DisableAutoGenTag = true // the same commands give the same page
			})
			header := doc.GenManHeader{Section: "1", Source: root.Name() + " " + root.Version}
			if len(args) == 0 {
				return doc.GenMan(root, &header, c.OutOrStdout())
			}
			return doc.GenManTree(root, &header, args[0])
		},
	}
}
