// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sessionscmd

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
)

const about = `toolscope sessions lists, shows and removes recorded sessions.

"toolscope mcp" and "toolscope serve" record each session that has a call, redacted, in
$XDG_STATE_HOME/toolscope/sessions (~/.local/state/toolscope/sessions), which only you can
read. Recordings older than 30 days are removed, and the oldest ones beyond 256 MiB.
` + recordings.Variable + `=DIR records elsewhere, and ` + recordings.Variable + `=off does not record.

The name of a recording, its beginning, or "latest" can stand for FILE in 'toolscope
report', 'top --log', 'export', 'replay' and 'check'.`

const examples = `  toolscope sessions list
  toolscope sessions show latest
  toolscope sessions prune --keep 24h`

var errOff = errors.New("recordings are turned off (" + recordings.Variable + "=off)")

// Command returns the command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "sessions COMMAND", Short: "list, show and remove recorded sessions", Long: about, Example: examples,
		Annotations: cli.Notes(", 1 if recordings cannot be read"),
		Args: func(_ *cobra.Command, args []string) error {
			return cli.Usage("got %.40q, want list, show or prune", strings.Join(args, " "))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(listCommand(), showCommand(), pruneCommand())
	return c
}

// directory is where recordings are.
func directory() (string, error) {
	dir, err := recordings.Dir()
	if err == nil && dir == "" {
		err = errOff
	}
	return dir, err
}

func listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list [OPTIONS]", Short: "list the recordings, the latest first", Args: cli.OptionsOnly,
		Annotations: cli.Notes(", 1 if the directory cannot be read"),
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := directory()
			if err != nil {
				return err
			}
			list, err := recordings.List(dir)
			if err != nil {
				return err
			}
			if len(list) == 0 && !asJSON {
				_, err := fmt.Fprintf(c.OutOrStdout(), "No recordings in %s. %s=DIR lists those in DIR.\n", display.Plain(dir),
					recordings.Variable)
				return err
			}
			return writeList(c.OutOrStdout(), list, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each")
	c.ValidArgsFunction = cobra.NoFileCompletions
	return c
}

// writeList prints recordings.
func writeList(w io.Writer, list []recordings.File, asJSON bool) error {
	table := screen.Table{
		Columns: []screen.Column{{Title: "RECORDING"}, {Title: "LAST CALL"}, {Title: "SIZE", Right: true}},
		Report:  true,
	}
	for _, f := range list {
		if asJSON {
			if err := cli.PrintJSON(w, struct {
				Name  string    `json:"name"`
				Last  time.Time `json:"last"`
				Bytes int64     `json:"bytes"`
				Files []string  `json:"files"`
			}{f.Name, f.Last.UTC(), f.Bytes, f.Paths}); err != nil {
				return err
			}
			continue
		}
		table.Add(screen.Cell{Text: f.Name}, screen.Cell{Text: f.Last.Format(time.DateTime)},
			screen.Cell{Text: display.Bytes(uint64(f.Bytes))})
	}
	if asJSON {
		return nil
	}
	var b strings.Builder
	table.Print(&b, screen.PaintFor(w))
	_, err := io.WriteString(w, b.String())
	return err
}

func pruneCommand() *cobra.Command {
	limits, dry, megabytes := recordings.Limits{}, false, 0
	c := &cobra.Command{
		Use: "prune [OPTIONS]", Short: "remove old recordings", Args: cli.OptionsOnly,
		Annotations: cli.Notes(", 1 if a recording could not be removed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if limits.Age < 0 || megabytes < 0 {
				return cli.Usage("--keep, --size: got less than 0, want 0 or more")
			}
			dir, err := directory()
			if err != nil {
				return err
			}
			limits.Bytes = int64(megabytes) << 20
			removed, err := recordings.Prune(dir, limits, time.Now(), dry)
			verb := "removed"
			if dry {
				verb = "would be removed"
			}
			if len(removed) == 0 && err == nil {
				_, err = fmt.Fprintf(c.OutOrStdout(), "Nothing to remove in %s.\n", display.Plain(dir))
			}
			for _, f := range removed {
				fmt.Fprintf(c.OutOrStdout(), "%s %s, %s\n", display.Plain(f.Name), verb, display.Bytes(uint64(f.Bytes)))
			}
			return err
		},
	}
	f := c.Flags()
	f.DurationVar(&limits.Age, "keep", recordings.MaxAge, "keep recordings whose last call is within `TIME`; 0s keeps none")
	f.IntVar(&megabytes, "size", recordings.MaxBytes>>20, "keep the latest recordings of `MIB` MiB together")
	f.BoolVar(&dry, "dry-run", false, "print what would be removed, and change nothing")
	c.ValidArgsFunction = cobra.NoFileCompletions
	return c
}
