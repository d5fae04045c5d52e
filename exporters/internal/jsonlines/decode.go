// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Lines are spans as an exporter writes them. It changes the ids of what it is given.
func Lines(spans []*tracepb.ResourceSpans) ([]byte, error) {
	b := encode(spans)
	return b.text, b.err
}

// Files are the paths of the files in a directory that are not compressed, the oldest first.
func Files(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return paths, err
}

// Read calls take with the spans of every line of a file. Lines that are none, such as one that a crash
// cut off, are returned.
func Read(path string, take func([]*tracepb.ResourceSpans) error) (bad [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var data tracepb.TracesData
			if protojson.Unmarshal(line, &data) != nil {
				bad = append(bad, line)
			} else if err := take(readable(data.GetResourceSpans())); err != nil {
				return bad, err
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return bad, nil
			}
			return bad, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
}

// readable undoes what hexIDs did.
func readable(all []*tracepb.ResourceSpans) []*tracepb.ResourceSpans {
	for _, r := range all {
		for _, s := range r.GetScopeSpans() {
			for _, span := range s.GetSpans() {
				span.TraceId, span.SpanId, span.ParentSpanId = plainID(span.TraceId), plainID(span.SpanId), plainID(span.ParentSpanId)
				for _, l := range span.Links {
					l.TraceId, l.SpanId = plainID(l.TraceId), plainID(l.SpanId)
				}
			}
		}
	}
	return all
}

func plainID(id []byte) []byte {
	out, err := hex.AppendDecode(nil, base64.StdEncoding.AppendEncode(nil, id))
	if err != nil || len(out) == 0 {
		return nil
	}
	return out
}
