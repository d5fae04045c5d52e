// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// column is one column of an answer.
type column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // as the database calls it; "" if it does not say
}

// answer is what a query gives, as JSON.
type answer struct {
	Columns    []column          `json:"columns"`
	Rows       []json.RawMessage `json:"rows"`
	RowCount   int               `json:"row_count"`
	Truncated  bool              `json:"truncated"`
	Note       string            `json:"note,omitempty"`
	DurationMS float64           `json:"duration_ms"`
}

// readRows reads rows up to the limits of the options.
func (o Options) readRows(rows *sql.Rows) (*answer, error) {
	a := &answer{Columns: []column{}, Rows: []json.RawMessage{}}
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		a.Columns = append(a.Columns, column{name, types[i].DatabaseTypeName()})
	}
	values, targets := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	for size := 0; rows.Next(); a.RowCount++ {
		if a.RowCount == o.MaxRows {
			a.truncate("only the first %d rows are shown: ask for fewer, or for the next with LIMIT and OFFSET", o.MaxRows)
			break
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		var row json.RawMessage
		fits := size+least(values) <= o.MaxBytes // a huge value is not written to see that it is one
		if fits {
			if row, err = encodeRow(values); err != nil {
				return nil, err
			}
			size += len(row)
			fits = size <= o.MaxBytes
		}
		if !fits {
			a.truncate("row %d and those after it do not fit into %d bytes: ask for fewer columns, rows, or parts "+
				"of long values", a.RowCount+1, o.MaxBytes)
			break
		}
		a.Rows = append(a.Rows, row)
	}
	if !a.Truncated {
		return a, rows.Err()
	}
	return a, nil
}

func (a *answer) truncate(format string, args ...any) {
	a.Truncated, a.Note = true, fmt.Sprintf(format, args...)
}

// least is how many bytes a row has at least when it is written: no text becomes shorter.
func least(values []any) int {
	n := 0
	for _, v := range values {
		switch v := v.(type) {
		case []byte:
			n += len(v)
		case string:
			n += len(v)
		}
	}
	return n
}

func encodeRow(values []any) (json.RawMessage, error) {
	shown := make([]any, len(values))
	for i, v := range values {
		shown[i] = show(v)
	}
	text, err := arg.JSON(shown)
	return json.RawMessage(text), err
}

// show makes JSON of what drivers give: text that is none is written as base64.
func show(v any) any {
	switch v := v.(type) {
	case []byte:
		return showText(string(v))
	case string:
		return showText(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case float32:
		return show(float64(v))
	case nil, bool, int64, int32, int16, int8, int, uint64, uint32:
	default:
		return fmt.Sprint(v)
	}
	return v
}

func showText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return "base64:" + base64.StdEncoding.EncodeToString([]byte(s))
}

// milliseconds rounds to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
