// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuildIsDescribed(t *testing.T) {
	system := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}}
	commit := append(system[:2:2],
		debug.BuildSetting{Key: "vcs.revision", Value: "0123abcd"},
		debug.BuildSetting{Key: "vcs.time", Value: "2026-11-22T13:28:15Z"},
		debug.BuildSetting{Key: "vcs.modified", Value: "false"})
	changed := append(commit[:4:4], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	const dev = "v0.0.0-20261122132815-0123abcd+dirty"
	for _, tt := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.1.0", commit, "v0.1.0 (commit 0123abcd, 2026-11-22T13:28:15Z, go1.26.0, linux/arm64)"},
		{"v0.1.0", system, "v0.1.0 (go1.26.0, linux/arm64)"},
		{dev, changed, dev + " (commit 0123abcd with changes, 2026-11-22T13:28:15Z, go1.26.0, linux/arm64)"},
		{"(devel)", system, "(devel) (commit unknown, go1.26.0, linux/arm64)"},
		{"", commit, "(devel) (commit 0123abcd, 2026-11-22T13:28:15Z, go1.26.0, linux/arm64)"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: tt.version}, Settings: tt.settings}
		if got := describe(info); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
