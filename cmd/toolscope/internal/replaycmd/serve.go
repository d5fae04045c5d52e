// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recorded"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
	library "github.com/toolscope/toolscope/toolkit/replay"
)

// serveAnswers is an MCP server that gives the recorded answers.
func (o *options) serveAnswers(ctx context.Context) error {
	if o.file == "-" {
		return errors.New("--serve: got standard input as the file, which is the protocol's: want a file")
	}
	session, err := recorded.OpenWhole(o.file, nil, "replay", o.stderr)
	switch {
	case err != nil:
		return err
	case len(session.Calls) == 0:
		return fmt.Errorf("%s: got no calls, want a recording, a log or a transcript that has some", o.file)
	}
	o.reportParts(session)
	f, err := answersOf(session, fingerprints(o.file))
	if err != nil {
		return err
	}
	handler := toolkit.Handler(f.Handle)
	if o.config != "" {
		file, err := configfile.Open(o.config)
		if err != nil {
			return err
		}
		defer file.Close()
		scope, err := toolscope.New(file.Options(toolscope.Options{}))
		if err != nil {
			return err
		}
		defer func() { _ = scope.Shutdown(context.WithoutCancel(ctx)) }()
		handler = scope.Wrap(f.Handle, f)
	}
	server, err := toolmcp.NewServer(&mcp.Implementation{Name: "toolscope-replay", Version: "1"}, f, handler)
	if err != nil {
		return err
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(o.stdin), Writer: unclosed{o.stdout}})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// reportParts says how many answers are not what the server gave.
func (o *options) reportParts(s *recorded.Session) {
	parts := uint64(0)
	for _, c := range s.Outer() {
		if c.ResultRedacted || c.ResultCut {
			parts++
		}
	}
	if parts > 0 {
		fmt.Fprintf(o.stderr, "toolscope replay: %s of %d not whole: something was redacted or cut, such as an image\n",
			display.Number(parts, "answer"), len(s.Outer()))
	}
}

// fingerprints is the key next to a recording, or else that of this machine's recordings; nil if there is none.
func fingerprints(file string) *calllog.Key {
	if paths, err := recordings.Paths(file); err == nil {
		if key := recordings.FindKey(filepath.Dir(paths[0])); key != nil {
			return key
		}
	}
	dir, err := recordings.Dir()
	if err != nil || dir == "" {
		return nil
	}
	return recordings.FindKey(dir)
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// answersOf are the recorded answers of a session.
func answersOf(s *recorded.Session, key *calllog.Key) (*library.Answers, error) {
	var lines bytes.Buffer
	add := func(r *calllog.Record) error {
		line, err := r.Marshal()
		lines.Write(append(line, '\n'))
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		tool := s.Tools[name]
		if err := add(&tool); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Calls {
		if err := add(&c.Record); err != nil {
			return nil, err
		}
	}
	session, err := library.Read(&lines)
	if err != nil {
		return nil, err
	}
	session.Fingerprint = key.Fingerprint
	for i, d := range session.Tools {
		session.Tools[i] = definitionOf(d, s.Tools[d.Name].Definition)
	}
	return session.Answers()
}
