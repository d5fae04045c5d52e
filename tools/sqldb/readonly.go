// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// querier is what a query runs on.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// readOnly runs work where the database itself refuses writes.
type readOnly func(ctx context.Context, db *sql.DB, work func(querier) error) error

// postgresReadOnly runs work in a read-only transaction, which PostgreSQL itself stops when its
// time is over, should the driver's request to cancel it not get through. It is rolled
// back, with it any setting that the work changed, and advisory locks are given up.
func postgresReadOnly(ctx context.Context, db *sql.DB, work func(querier) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer afterwards(ctx, conn, "SELECT pg_advisory_unlock_all()")
	var limit string
	if left, limited := timeLeft(ctx); limited {
		limit = fmt.Sprintf("SET LOCAL statement_timeout = %d", left.Milliseconds())
	}
	return readOnlyTx(ctx, conn, limit, work)
}

// mysqlReadOnly runs work in a read-only transaction on a connection that is closed
// afterwards, since no transaction takes back what MySQL and MariaDB keep for a
// connection: variables, named locks, temporary tables. A user with the privilege FILE is
// refused: SELECT … INTO OUTFILE writes whatever the transaction.
func mysqlReadOnly(ctx context.Context, db *sql.DB, work func(querier) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer discard(conn)
	var version string
	var files int
	err = conn.QueryRowContext(
		ctx, `SELECT VERSION(), (SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type = 'FILE'
		AND REPLACE(grantee, CHAR(39), '') IN (CURRENT_USER(), CONCAT(COALESCE(CURRENT_ROLE(), ''), '@')))`).Scan(
		&version, &files)
	if err != nil {
		return err
	}
	if files > 0 {
		return &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "the database's user has the privilege " +
			"FILE, with which a read-only transaction can write files; give the tools one without"}
	}
	if left, limited := timeLeft(ctx); limited {
		limit := fmt.Sprintf("SET SESSION max_execution_time = %d", left.Milliseconds())
		if strings.Contains(version, "MariaDB") {
			limit = fmt.Sprintf("SET SESSION max_statement_time = %f", left.Seconds())
		}
		if _, err := conn.ExecContext(ctx, limit); err != nil {
			return err
		}
	}
	return readOnlyTx(ctx, conn, "", work)
}

// timeLeft is how long the database itself lets a statement run: a second longer than the
// context, which is to end it first.
func timeLeft(ctx context.Context) (left time.Duration, limited bool) {
	deadline, ok := ctx.Deadline()
	return max(0, time.Until(deadline)) + time.Second, ok
}

// readOnlyTx runs first, unless it is empty, and work in a read-only transaction and rolls it back.
func readOnlyTx(ctx context.Context, conn *sql.Conn, first string, work func(querier) error) error {
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
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
	defer afterwards(ctx, conn, fmt.Sprintf("PRAGMA query_only = %d", before))
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = 1"); err != nil {
		return err
	}
	return work(conn)
}

// afterwards runs the statement that makes a connection as it was, though the call's own
// context may be over; one where it fails leaves the pool.
func afterwards(ctx context.Context, conn *sql.Conn, statement string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetTime)
	defer cancel()
	if _, err := conn.ExecContext(ctx, statement); err != nil {
		discard(conn)
	}
}

// discard takes a connection out of the pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}
