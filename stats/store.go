// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "context"

type store struct{}

func openStore(c config, h *history, e *errorTable) (*store, error) { return nil, nil }
func (s *store) append(*sealed, *errorTable)                        {}
func (s *store) close(context.Context) error                        { return nil }
