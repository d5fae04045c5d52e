// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lockedOf is what is locked for a directory, which cannot be locked itself: an empty file in the user's directory of
// temporary files.
func lockedOf(dir string) (*os.File, error) {
	name := fmt.Sprintf("toolscope-%x.lock", sha256.Sum256([]byte(strings.ToLower(dir))))
	return os.OpenFile(filepath.Join(os.TempDir(), name), os.O_CREATE|os.O_RDWR, 0o600)
}
