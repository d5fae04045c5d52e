// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"errors"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestFilesThatExecuteOrHoldCredentials: no tool reads the credentials of a project, and none changes what git runs.
func TestFilesThatExecuteOrHoldCredentials(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{".env", ".npmrc", ".pypirc", "id_rsa", "server.key", "secrets.yaml", ".git/config"} {
		h.write(t, "desk/"+name, "x\n")
		if res := h.call(t.Context(), "file_read", object{"path": name}); !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
			t.Errorf("file_read of %s: got %q, want permission denied", name, res.Output)
		}
	}
	h.write(t, "desk/.git/hooks/pre-commit.sample", "#!/bin/sh\n")
	for tool, args := range map[string]object{
		"file_write": {"path": ".git/hooks/pre-commit", "content": "x"},
		"file_mkdir": {"path": "sub/.git"},
		"file_move":  {"from": ".git/hooks/pre-commit.sample", "to": ".git/hooks/pre-commit"},
		"file_edit":  {"path": ".GIT/hooks/pre-commit.sample", "source_text": "sh", "target_text": "x"},
	} {
		if res := h.call(t.Context(), tool, args); !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
			t.Errorf("%s: got %q, want permission denied", tool, res.Output)
		}
	}
	h.write(t, "desk/.env.example", "A=1\n")
	if res := h.call(t.Context(), "file_read", object{"path": ".env.example"}); res.Fault != nil {
		t.Error(res.Fault)
	}
}
