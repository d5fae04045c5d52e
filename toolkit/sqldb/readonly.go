// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"
)

// querier is what a query runs on.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// readOnly runs work where the database itself refuses writes.
type readOnly func(ctx context.Context, db *sql.DB, work func(querier) error) error

// readOnlyTx runs work in a read-only transaction and rolls it back, with it any
// setting that the work changed.
func readOnlyTx(ctx context.Context, db *sql.DB, work func(querier) error) error {
	return inReadOnlyTx(ctx, db, "", work)
}

// timedReadOnlyTx also has PostgreSQL itself stop a statement whose time is over, should the
// driver's request to cancel it not get through.
func timedReadOnlyTx(ctx context.Context, db *sql.DB, work func(querier) error) error {
	var limit string
	if deadline, ok := ctx.Deadline(); ok {
		limit = fmt.Sprintf("SET LOCAL statement_timeout = %d", max(0, time.Until(deadline)).Milliseconds()+1000)
	}
	return inReadOnlyTx(ctx, db, limit, work)
}

func inReadOnlyTx(ctx context.Context, db *sql.DB, first string, work func(querier) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing to keep; a broken connection leaves the pool
	if first != "" {
		if _, err := tx.ExecContext(ctx, first); err != nil {
			return err
		}
	}
	return work(tx)
}

// resetTime is how long a connection has to take its setting back.
const resetTime = 5 * time.Second

// queryOnly runs work on a SQLite connection of its own whose query_only is on,
// and puts the setting back; a connection that cannot be put back leaves the pool.
func queryOnly(ctx context.Context, db *sql.DB, work func(querier) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var before int
	if err := conn.QueryRowContext(ctx, "PRAGMA query_only").Scan(&before); err != nil {
		return err
	}
	defer func() {
		// The call's own context may be over by now.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetTime)
		defer cancel()
		if _, failed := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA query_only = %d", before)); failed != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
	}()
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = 1"); err != nil {
		return err
	}
	return work(conn)
}
