// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/linefile"
	"github.com/toolscope/toolscope/stats"
)

const (
	unfinishedFile  = "not-undone.jsonl" // in the directory of toolscope's state
	maxUnfinished   = 1 << 20            // bytes of the file, beyond which nothing is added
	shownUnfinished = 20                 // runs that a start names
)

// An unfinishedRun is a line of the file: a run that was not undone when its process ended. It has names only.
type unfinishedRun struct {
	Time     time.Time `json:"time"`
	Config   string    `json:"config"` // the file that has the workflow
	Workflow string    `json:"workflow"`
	Run      string    `json:"run"`
	Left     []string  `json:"not_undone"` // steps, each with the tool of its undo and why that failed
}

// leftOf are the steps of a run that were not undone, each with the tool of its undo and the type of its error.
func leftOf(run *stats.WorkflowRun) []string {
	left := slices.Clone(run.NotUndone)
	for i, step := range left {
		for _, s := range run.Log {
			if s.Kind == "undo" && s.Step == step {
				left[i] = fmt.Sprintf("%s (%s: %s)", step, s.Tool, s.ErrorType)
			}
		}
	}
	return left
}

// rememberRun returns what keeps runs of the workflows in a configuration for the next start.
func rememberRun(config string) func(*stats.WorkflowRun) error {
	return func(run *stats.WorkflowRun) error {
		path, config, err := unfinishedPath(config)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if info, err := os.Stat(path); err == nil && info.Size() > maxUnfinished {
			return fmt.Errorf("%s is larger than %d MiB", path, maxUnfinished>>20)
		}
		line, err := json.Marshal(unfinishedRun{time.Now().UTC(), config, run.Workflow, run.ID, leftOf(run)})
		if err != nil {
			return err
		}
		file, err := linefile.Open(path, linefile.Options{Private: true})
		if err != nil {
			return err
		}
		_, err = file.Append(append(line, '\n'))
		if closed := file.Close(); err == nil {
			err = closed
		}
		return err
	}
}

// unfinishedPath is the path of the file, and the whole path of a configuration.
func unfinishedPath(config string) (path, whole string, err error) {
	dir, err := recordings.StateDir()
	if err != nil {
		return "", "", err
	}
	whole, err = filepath.Abs(config)
	return filepath.Join(dir, unfinishedFile), whole, err
}

// reportUnfinished names the runs that earlier processes with this configuration did not undo.
func reportUnfinished(config string, stderr io.Writer) {
	path, config, err := unfinishedPath(config)
	if err != nil {
		return // nothing could be kept either
	}
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	var runs []unfinishedRun
	err = linefile.Each(io.LimitReader(file, 2*maxUnfinished), logfile.MaxLine, func(_ int, line []byte, _ bool) error {
		var run unfinishedRun
		if json.Unmarshal(line, &run) == nil && run.Config == config {
			runs = append(runs, run)
		}
		return nil
	})
	if err != nil {
		cli.Complain(stderr, "toolscope serve", fmt.Errorf("%s: %w", path, err))
	}
	for _, run := range runs[max(0, len(runs)-shownUnfinished):] {
		fmt.Fprintf(stderr, "toolscope serve: not undone when an earlier process ended at %s: workflow %s, run %s: %s\n",
			run.Time.Format(time.RFC3339), display.Clip(run.Workflow, 60), display.Clip(run.Run, 60),
			display.Clip(strings.Join(run.Left, ", "), 500))
	}
	if len(runs) > 0 {
		fmt.Fprintf(stderr, "toolscope serve: %s; remove their lines from %s when that is done\n",
			display.Number(uint64(len(runs)), "run")+" to undo by hand", display.Plain(path))
	}
}
