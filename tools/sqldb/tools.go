// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// answerTime is how much longer than a call's own time limit the definitions ask
// the host to wait, so that the answer about the limit gets through.
const answerTime = 5 * time.Second

const (
	tablesSchema   = `{"type":"object","properties":{},"additionalProperties":false}`
	describeSchema = `{
  "type": "object",
  "properties": {
    "table": {"type": "string", "minLength": 1, "description": "The table's or view's name, or schema.name."}
  },
  "required": ["table"],
  "additionalProperties": false
}`
	statementSchema = `{
  "type": "object",
  "properties": {
    %q: {"type": "string", "minLength": 1, "description": "One SQL statement. A semicolon may stand at its end only."},
    "params": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}, "description": "The ` +
		`values of the statement's placeholders, in order."}
  },
  "required": [%q],
  "additionalProperties": false
}`
)

// ReadTools are sql_tables, sql_describe, sql_query and sql_explain, which cannot write.
func (t *Toolset) ReadTools() []toolkit.Tool {
	return []toolkit.Tool{
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name: "sql_tables", Description: "Lists the tables and views of the database.",
			Title: "List tables", InputSchema: json.RawMessage(tablesSchema),
		}), t.tables),
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name: "sql_describe", Description: "Describes a table: its columns, their types, defaults and keys.",
			Title: "Describe a table", InputSchema: json.RawMessage(describeSchema),
		}), t.describe),
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name: "sql_query",
			Description: fmt.Sprintf("Runs one SQL statement that reads (%s) in the %s dialect and answers with columns, "+
				"types and rows as JSON, at most %d rows. The database refuses writes.",
				strings.Join(t.dialect.reads, ", "), t.options.Dialect, t.options.MaxRows),
			Title: "Query the database", InputSchema: json.RawMessage(fmt.Sprintf(statementSchema, "query", "query")),
		}), t.query),
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name: "sql_explain",
			Description: fmt.Sprintf("Shows how the database would run one SQL statement, in the %s dialect, without running it.",
				t.options.Dialect),
			Title: "Explain a query", InputSchema: json.RawMessage(fmt.Sprintf(statementSchema, "query", "query")),
		}), t.explained),
	}
}

// WriteTool is sql_exec, which runs one statement of any kind in a transaction.
// Register it only where an agent may write.
func (t *Toolset) WriteTool() toolkit.Tool {
	return toolkit.NewTool(toolkit.Definition{
		Name: t.options.Prefix + "sql_exec",
		Description: fmt.Sprintf("Runs one SQL statement that writes, in the %s dialect and a transaction of its own, "+
			"and answers with the number of rows changed.", t.options.Dialect),
		Title:       "Change the database",
		InputSchema: json.RawMessage(fmt.Sprintf(statementSchema, "statement", "statement")),
		Type:        toolkit.ToolExtension, Category: "database", Risk: toolkit.RiskHigh,
		ReadOnly: toolkit.No, Idempotent: toolkit.No, Destructive: toolkit.Yes, OpenWorld: toolkit.No,
		Timeout: t.options.Timeout + answerTime, CacheTTL: -1, Resources: []string{t.options.Resource},
	}, t.exec)
}

// reads adds to a definition what the tools that read the database have in common.
func (t *Toolset) reads(d toolkit.Definition) toolkit.Definition {
	d.Name = t.options.Prefix + d.Name
	d.Type, d.Category, d.Risk = toolkit.ToolDatastore, "database", toolkit.RiskLow
	d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.No
	d.Timeout, d.Resources = t.options.Timeout+answerTime, []string{t.options.Resource}
	return d
}

func (t *Toolset) tables(ctx context.Context, _ struct{}) (string, error) {
	a, err := t.read(ctx, t.dialect.tables)
	if err != nil {
		return "", err
	}
	return arg.JSON(a)
}

type describeInput struct {
	Table string `json:"table"`
}

func (t *Toolset) describe(ctx context.Context, in describeInput) (string, error) {
	if in.Table == "" {
		return "", arg.Invalid("table", "no name", "the name of a table or view")
	}
	a, err := t.read(ctx, t.dialect.describe, "", in.Table)
	if schema, name, ok := strings.Cut(in.Table, "."); ok && err == nil && a.RowCount == 0 {
		a, err = t.read(ctx, t.dialect.describe, schema, name)
	}
	if err != nil {
		return "", err
	}
	if a.RowCount == 0 {
		return "", arg.Invalid("table", fmt.Sprintf("%.80q, which does not exist", in.Table),
			"one that "+t.options.Prefix+"sql_tables lists")
	}
	return arg.JSON(a)
}

type queryInput struct {
	Query  string  `json:"query"`
	Params []param `json:"params"`
}

func (t *Toolset) query(ctx context.Context, in queryInput) (string, error) {
	if err := checkOne("query", in.Query); err != nil {
		return "", err
	}
	if err := t.dialect.checkReads("query", in.Query, false); err != nil {
		return "", err
	}
	a, err := t.read(ctx, in.Query, values(in.Params)...)
	if err != nil {
		return "", err
	}
	return arg.JSON(a)
}

func (t *Toolset) explained(ctx context.Context, in queryInput) (string, error) {
	if err := checkOne("query", in.Query); err != nil {
		return "", err
	}
	if err := t.dialect.checkExplained("query", in.Query); err != nil {
		return "", err
	}
	a, err := t.read(ctx, t.dialect.explain+in.Query, values(in.Params)...)
	if err != nil {
		return "", err
	}
	return arg.JSON(a)
}

// read runs one query where the database refuses writes.
func (t *Toolset) read(ctx context.Context, query string, args ...any) (*answer, error) {
	limited, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	start := time.Now()
	var a *answer
	err := t.dialect.readOnly(limited, t.db, func(q querier) error {
		rows, err := q.QueryContext(limited, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		a, err = t.options.readRows(rows)
		return err
	})
	if err != nil {
		return nil, t.explain(limited, err)
	}
	a.DurationMS = milliseconds(time.Since(start))
	return a, nil
}

type execInput struct {
	Statement string  `json:"statement"`
	Params    []param `json:"params"`
}

// exec runs one statement in a transaction, so that a statement such as BEGIN
// cannot leave a connection of the pool in another state.
func (t *Toolset) exec(ctx context.Context, in execInput) (string, error) {
	if err := checkOne("statement", in.Statement); err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	start := time.Now()
	tx, err := t.db.BeginTx(limited, nil)
	if err != nil {
		return "", t.explain(limited, err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	res, err := tx.ExecContext(limited, in.Statement, values(in.Params)...)
	if err != nil {
		return "", t.explain(limited, err)
	}
	if err := tx.Commit(); err != nil {
		return "", t.explain(limited, err)
	}
	done := struct {
		RowsAffected *int64  `json:"rows_affected,omitempty"` // nil if the database does not say
		DurationMS   float64 `json:"duration_ms"`
	}{DurationMS: milliseconds(time.Since(start))}
	if n, err := res.RowsAffected(); err == nil {
		done.RowsAffected = &n
	}
	return arg.JSON(done)
}

// explain gives an error its kind; the text is the database's own.
func (t *Toolset) explain(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &toolkit.Error{Kind: toolkit.ErrTimeout, Message: fmt.Sprintf("the database was given %v at most "+
			"and did not answer in time", t.options.Timeout), Cause: err}
	case ctx.Err() != nil:
		return &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "the caller cancelled the call", Cause: err}
	}
	if own, ok := errors.AsType[*toolkit.Error](err); ok {
		return own
	}
	return &toolkit.Error{Kind: toolkit.ErrTool, Message: err.Error(), Cause: err}
}
