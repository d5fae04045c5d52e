// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import "runtime/debug"

// Version returns this program's version.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Revision returns the commit this program was built from, "" if unknown.
func Revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}
