// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the database's driver, in Go alone

	"github.com/toolscope/toolscope/toolkit/files"
	"github.com/toolscope/toolscope/toolkit/shell"
	"github.com/toolscope/toolscope/toolkit/sqldb"
)

// register fills the registry: real tools over the directory, the scratch workspace
// and an SQLite database in it, then the troubles. The function returned closes
// what they hold, on an error as well.
func (s *session) register(dir, scratch string) (closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for _, c := range closers {
			_ = c() // the scratch directory goes anyway
		}
	}
	fileTools, err := files.New(files.Options{Roots: []files.Root{
		{Name: "here", Path: dir, ReadOnly: true},
		{Name: "scratch", Path: scratch},
	}})
	if err != nil {
		return closeAll, err
	}
	closers = append(closers, fileTools.Close)
	db, err := sql.Open("sqlite", filepath.Join(scratch, "orders.db"))
	if err != nil {
		return closeAll, err
	}
	closers = append(closers, db.Close)
	sqlTools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.SQLite})
	if err != nil {
		return closeAll, err
	}
	shellTool, shellErr := shell.New(shell.Options{Dir: dir, Timeout: 10 * time.Second})
	if shellErr != nil {
		s.summary.Notes = append(s.summary.Notes, fmt.Sprintf("no shell on this machine, so its calls are unknown: %v", shellErr))
	} else if err := s.registry.Register(shellTool); err != nil {
		return closeAll, err
	}
	return closeAll, errors.Join(
		s.registry.Register(fileTools.Tools()...),
		s.registry.Register(sqlTools.ReadTools()...),
		s.registry.Register(sqlTools.WriteTool()),
		s.registry.Register(troubles(s.model.secrets)...),
		s.registry.Register(s.delegate()),
	)
}

// shellQuote quotes a path for a POSIX shell.
func shellQuote(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
