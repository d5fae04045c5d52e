// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"strings"
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
	defaultMaxRows  = 1000
	defaultMaxBytes = 256 << 10
	defaultTimeout  = 30 * time.Second
	defaultResource = "database"
	maxPrefix       = 32
)

// Options say how the tools work. Dialect must be set.
type Options struct {
	Dialect Dialect
	// MaxRows is how many rows an answer has at most; 0 is 1000.
	MaxRows int
	// MaxBytes is how many bytes the rows of an answer have at most, as JSON; 0 is
	// 256 KiB.
	MaxBytes int
	// Timeout is the longest one call may take, waiting for a connection included;
	// 0 is 30 seconds. A deadline of the caller's context that comes first wins.
	Timeout time.Duration
	// Resource is the database's tag in the tools' definitions, so that a write makes
	// stored reads of the same database stale: toolsets over one database share it, those
	// over others have another. "" is "database".
	Resource string
	// Prefix stands before the tools' names, so that the tools over several databases can be in one registry:
	// "orders_" gives orders_sql_query. It has letters, digits, "_" and "-" only, 32 at most; "" is none. With a
	// Prefix the default of Resource is "database:" and the Prefix.
	Prefix string
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
		return nil, fmt.Errorf("sqldb: Options.MaxRows: got %d, want a number above 0, or 0 for %d", o.MaxRows, defaultMaxRows)
	}
	if o.MaxBytes < 0 {
		return nil, fmt.Errorf("sqldb: Options.MaxBytes: got %d, want a number above 0, or 0 for %d", o.MaxBytes, defaultMaxBytes)
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("sqldb: Options.Timeout: got %v, want a duration above 0, or 0 for %v", o.Timeout, defaultTimeout)
	}
	o.MaxRows = cmp.Or(o.MaxRows, defaultMaxRows)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	if len(o.Prefix) > maxPrefix || strings.ContainsFunc(o.Prefix, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) {
		return nil, fmt.Errorf("sqldb: Options.Prefix: got %.80q, want at most %d letters, digits, \"_\" and \"-\"",
			o.Prefix, maxPrefix)
	}
	if o.Prefix != "" {
		o.Resource = cmp.Or(o.Resource, defaultResource+":"+o.Prefix)
	}
	o.Resource = cmp.Or(o.Resource, defaultResource)
	return &Toolset{db, o, d}, nil
}
