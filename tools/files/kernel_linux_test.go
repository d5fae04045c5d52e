// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
)

// TestKernelFiles works below / itself: what the kernel shows of processes and devices
// stays out of reach even there, by name, by link and by search.
func TestKernelFiles(t *testing.T) {
	tools, err := files.New(files.Options{Roots: []files.Root{{Path: "/"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	h := house{"", new(toolkit.Registry)}
	if err := h.registry.Register(tools.Tools()...); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"proc/self/environ", "/proc/self/environ", "proc/1/cmdline",
		"proc/self/root/etc/passwd", "proc/self/fd/0", "sys/kernel/mm", "dev/null", "dev/zero", "dev/stdin"} {
		for _, tool := range []string{"file_read", "file_search", "file_list", "file_write"} {
			res := h.call(t.Context(), tool, object{"path": path, "text": "a", "content": "x"})
			if res.Fault == nil || strings.Contains(res.Output, "PATH=") {
				t.Errorf("%s of %s: got %.200q, want it refused", tool, path, res.Output)
			}
		}
	}
	for _, path := range []string{"/proc", "/sys"} {
		if _, err := files.New(files.Options{Roots: []files.Root{{Path: path}}}); err == nil ||
			!strings.Contains(err.Error(), "file system of the kernel") {
			t.Errorf("%s as a root: got %v", path, err)
		}
	}
}
