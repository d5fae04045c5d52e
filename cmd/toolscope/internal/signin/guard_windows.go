// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import "os"

// guard changes nothing: files in the user's profile are the user's alone.
func guard(string, os.FileInfo, os.FileMode) (changed string, err error) { return "", nil }
