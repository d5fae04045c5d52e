// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"fmt"

	"github.com/toolscope/toolscope/middleware/internal/reuse"
)

// MarshalBinary encodes the entry, with all parts of its result, for a store outside
// the process. Of a fault its error.type and its text are kept.
func (e *Entry) MarshalBinary() ([]byte, error) { return (*reuse.Answer)(e).Encode() }

// UnmarshalBinary decodes what MarshalBinary made. Its fault is an error with the same
// error.type and text.
func (e *Entry) UnmarshalBinary(data []byte) error {
	if err := (*reuse.Answer)(e).Decode(data); err != nil {
		return fmt.Errorf("cache: entry: %w", err)
	}
	return nil
}
