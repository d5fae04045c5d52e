// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package sqldb gives an agent a database: tools that list and describe tables, query them and
// explain queries, and, registered on its own, one that writes. It works over any
// [database/sql.DB] of SQLite, PostgreSQL or MySQL.
//
//	db, err := sql.Open("sqlite", "shop.db")
//	tools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.SQLite})
//	err = registry.Register(tools.ReadTools()...)
//
// # What is guaranteed
//
// The database itself refuses writes of the reading tools: they run in a read-only
// transaction (PostgreSQL, MySQL) or on a connection whose query_only is on
// (SQLite). A call runs one statement: a semicolon is taken at the end only, so that no
// reading of quotes or comments decides, and text that has one goes into params.
// The statement begins with a word that reads (SELECT, WITH, …), since a read-only
// connection still takes ATTACH, COPY … TO or SET. Rows, bytes and time are limited,
// and the answer says when rows were left out.
//
// # What is left out
//
// The database's own functions run with the rights of its user: give an agent a
// user who may do little. What they do outside of the transaction is no write of it:
// PostgreSQL's pg_terminate_backend and lo_export, a superuser's dblink, a message to those
// who read the log. What PostgreSQL does to large objects and settings is rolled
// back, advisory locks are given up, and a connection to MySQL or MariaDB is closed after each call, with all it
// kept. Their users with the privilege FILE are refused, since INTO OUTFILE writes in any transaction.
//
// A timeout cancels the statement on the server: at once with SQLite and PostgreSQL; MySQL
// (SELECT only) and MariaDB get a limit for the statement, a second more than the call's.
// One value is held in memory whole, whatever its size. sql_exec
// tells how many rows it changed and does not return rows.
package sqldb
