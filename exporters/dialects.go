// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/exporters/internal/dialect"
)

// dialectsVariable names dialects, separated by commas; it wins over [Options].Dialects. It is toolscope's own,
// since OpenTelemetry has none for this, so that programs need not be changed for a backend.
const dialectsVariable = "TOOLSCOPE_DIALECTS"

// chooseDialects sets Dialects to the names that hold, or returns an error for the first unknown one.
func (o *Options) chooseDialects() error {
	chosen, from := o.Dialects, "Options.Dialects"
	if list := get(dialectsVariable); list != "" {
		chosen, from = strings.Split(list, ","), dialectsVariable
	}
	o.Dialects = nil
	for _, name := range chosen {
		name = strings.TrimSpace(name)
		if !slices.Contains(dialect.Names(), name) {
			return fmt.Errorf("exporters: %s: got %.80q, want a list of %s", from, name, strings.Join(dialect.Names(), ", "))
		}
		o.Dialects = append(o.Dialects, name)
	}
	return nil
}
