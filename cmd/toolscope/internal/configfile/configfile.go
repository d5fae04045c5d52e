// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package configfile

import (
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/store/redis"
)

// Open is [config.Open] with these sections.
func Open(path string) (*config.File, error) { return OpenRecording(path, new(recordings.Settings)) }

// OpenRecording is [Open], and sets what the file says of recorded sessions.
func OpenRecording(path string, to *recordings.Settings) (*config.File, error) {
	return config.Open(path, sections(to)...)
}

// OpenText is [config.OpenText] with these sections.
func OpenText(name string, text []byte) (*config.File, error) {
	return config.OpenText(name, text, sections(new(recordings.Settings))...)
}

// Check is [config.Check] with these sections.
func Check(name string, text []byte) error {
	return config.Check(name, text, sections(new(recordings.Settings))...)
}

// Schema is [config.Schema] with these sections.
func Schema() []byte { return config.Schema(sections(new(recordings.Settings))...) }

func sections(to *recordings.Settings) []config.Section {
	return []config.Section{redis.Section(), recordings.Section(to)}
}
