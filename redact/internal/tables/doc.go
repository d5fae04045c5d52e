// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package tables splits tables in text into cells: delimited ones (CSV, TSV), drawn ones (psql,
// mysql, Markdown), columns aligned by blanks (kubectl, sqlite), HTML, and the columns and
// parameters of SQL statements. It does not judge what a cell holds.
package tables
