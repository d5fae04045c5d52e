// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/arguments"
)

// patchNames are folded names of arguments that commonly hold a patch.
var patchNames = map[string]bool{arguments.Fold("patch"): true, arguments.Fold("diff"): true, arguments.Fold("input"): true,
	arguments.Fold("patch_text"): true, arguments.Fold("patchText"): true, arguments.Fold("unified_diff"): true}

// patched are the files that a patch names: a unified diff, git's, or the form of apply_patch.
func patched(text string) (files []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, mark := range []string{"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ",
			"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			file, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), mark)
			if !ok {
				continue
			}
			file, _, _ = strings.Cut(file, "\t")
			if file = strings.Trim(strings.TrimSpace(file), `"`); file == "/dev/null" || file == "" {
				continue
			}
			files = append(files, file)
			if cut, ok := strings.CutPrefix(file, "a/"); ok {
				files = append(files, cut)
			} else if cut, ok := strings.CutPrefix(file, "b/"); ok {
				files = append(files, cut)
			}
		}
	}
	return files
}
