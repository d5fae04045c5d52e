// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
)

// forbidden says why a path below the root may not be used; "" if it may.
func (r *root) forbidden(rel string) string {
	for i := range r.refused {
		if r.refused[i].above(strings.ToLower(rel)) {
			return "is refused by the pattern " + r.refused[i].source + " of this host"
		}
	}
	if c := sensitive.Credential(r.slashed + "/" + rel); c != "" {
		return "lies in " + c + ", which holds credentials"
	}
	return ""
}
