// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
)

// printJSON writes v on one line. "<" and ">" stay as they are, as everywhere else where
// people read: what is printed is no page.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
