// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscope/toolscope/config"
)

// Settings are the section "recording" of a configuration file. The zero value is the defaults.
type Settings struct {
	Enabled   *bool         `yaml:"enabled" doc:"Record sessions; default true."`
	Directory string        `yaml:"directory" doc:"Absolute path of the directory; default that of all recordings."`
	MaxAge    time.Duration `yaml:"max_age" doc:"Recordings whose last call is older are removed; default 720h."`
	MaxBytes  int           `yaml:"max_bytes" unit:"bytes" doc:"The oldest recordings beyond this are removed; default 256MiB."`
}

// Section is the section "recording" of configuration files. A file that has it sets to.
func Section(to *Settings) config.Section {
	return config.NewSection("recording", func(s Settings) (config.Part, error) {
		switch {
		case s.Directory != "" && !filepath.IsAbs(s.Directory):
			return config.Part{}, fmt.Errorf("recording.directory: got %.80q, want an absolute path", s.Directory)
		case s.MaxAge < 0:
			return config.Part{}, fmt.Errorf("recording.max_age: got %v, want more than 0", s.MaxAge)
		case s.MaxBytes < 0:
			return config.Part{}, fmt.Errorf("recording.max_bytes: got %d, want more than 0", s.MaxBytes)
		}
		*to = s
		return config.Part{}, nil
	})
}

// dir is where a session is recorded, "" for nowhere. The environment variable counts more than the file.
func (s *Settings) dir() (string, error) {
	switch {
	case os.Getenv(Variable) != "":
		return Dir()
	case s.Enabled != nil && !*s.Enabled:
		return "", nil
	case s.Directory != "":
		return s.Directory, nil
	}
	return Dir()
}

// limits are those of the directory.
func (s *Settings) limits() Limits {
	return Limits{cmp.Or(s.MaxAge, MaxAge), cmp.Or(int64(s.MaxBytes), MaxBytes)}
}
