// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version returns this program's version, "(devel)" for a program that was built without one.
func Version() string { return versionIn(buildInfo()) }

// Build describes this program's build: version, commit, the commit's time, Go version and system.
// Builds from a module, such as by `go install …@v0.1.0`, have no commit: the version names it.
func Build() string { return describe(buildInfo()) }

func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{GoVersion: runtime.Version()}
}

func versionIn(info *debug.BuildInfo) string { return cmp.Or(info.Main.Version, "(devel)") }

func describe(info *debug.BuildInfo) string {
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version := versionIn(info)
	var parts []string
	if commit := settings["vcs.revision"]; commit != "" {
		commit = "commit " + commit
		if settings["vcs.modified"] == "true" {
			commit += " with changes"
		}
		parts = append(parts, commit, settings["vcs.time"])
	} else if version == "(devel)" {
		parts = append(parts, "commit unknown")
	}
	parts = append(parts, info.GoVersion, settings["GOOS"]+"/"+settings["GOARCH"])
	return version + " (" + strings.Join(parts, ", ") + ")"
}
