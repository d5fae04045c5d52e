// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Dialect is the kind of database.
type Dialect string

// The dialects.
const (
	SQLite     Dialect = "sqlite"
	PostgreSQL Dialect = "postgresql"
	MySQL      Dialect = "mysql"
)

// The defaults of [Options].
const (
	DefaultMaxRows  = 1000
	DefaultMaxBytes = 256 << 10
	DefaultTimeout  = 30 * time.Second
	DefaultResource = "database"
)

// Options say how the tools work. Dialect must be set.
type Options struct {
	Dialect Dialect
	// MaxRows is how many rows an answer has at most; 0 is [DefaultMaxRows].
	MaxRows int
	// MaxBytes is how many bytes the rows of an answer have at most, as JSON; 0 is
	// [DefaultMaxBytes].
	MaxBytes int
	// Timeout is the longest one call may take, waiting for a connection included;
	// 0 is [DefaultTimeout]. A deadline of the caller's context that comes first wins.
	Timeout time.Duration
	// Resource is the database's tag in the tools' definitions, so that a write makes
	// stored reads of the same database stale: toolsets over one database share it, those
	// over others have another. "" is [DefaultResource].
	Resource string
}

// A Toolset is the tools over one database. It is safe for concurrent use, and
// holds nothing that needs closing: the database stays the caller's.
type Toolset struct {
	db      *sql.DB
	options Options
	dialect dialect
}

// New makes the tools. It checks the options and does not connect.
func New(db *sql.DB, o Options) (*Toolset, error) {
	if db == nil {
		return nil, errors.New("sqldb: New: db: got nil, want an open *sql.DB")
	}
	d, ok := dialects[o.Dialect]
	if !ok {
		return nil, fmt.Errorf("sqldb: Options.Dialect: got %q, want %q, %q or %q", string(o.Dialect), SQLite, PostgreSQL, MySQL)
	}
	if o.MaxRows < 0 {
		return nil, fmt.Errorf("sqldb: Options.MaxRows: got %d, want a number above 0, or 0 for %d", o.MaxRows, DefaultMaxRows)
	}
	if o.MaxBytes < 0 {
		return nil, fmt.Errorf("sqldb: Options.MaxBytes: got %d, want a number above 0, or 0 for %d", o.MaxBytes, DefaultMaxBytes)
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("sqldb: Options.Timeout: got %v, want a duration above 0, or 0 for %v", o.Timeout, DefaultTimeout)
	}
	if o.MaxRows == 0 {
		o.MaxRows = DefaultMaxRows
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Resource == "" {
		o.Resource = DefaultResource
	}
	return &Toolset{db, o, d}, nil
}
