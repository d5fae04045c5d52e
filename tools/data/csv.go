// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

const (
	defaultRows = 1000
	maxRows     = 10_000
	maxColumns  = 1000
)

type csvInput struct {
	CSV       string `json:"csv"`
	Delimiter string `json:"delimiter"`
	Header    *bool  `json:"header"`
	Types     bool   `json:"types"`
	Limit     *int   `json:"limit"`
}

// csvToJSON writes the rows of a CSV text (RFC 4180, and what programs make of it) as
// JSON objects, or as arrays where there is no header.
func (t *Toolset) csvToJSON(_ context.Context, in csvInput) (string, error) {
	if err := t.checkInputs("csv", in.CSV); err != nil {
		return "", err
	}
	limit, err := arg.Number("limit", in.Limit, defaultRows, 1, maxRows)
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(in.CSV, "\ufeff")
	if strings.TrimSpace(text) == "" {
		return "", arg.Invalid("csv", "nothing", "rows")
	}
	delimiter, err := delimiterOf(in.Delimiter, text)
	if err != nil {
		return "", err
	}
	answer, err := t.convertRows(newRows(text, delimiter), in, limit, "")
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		rows := newRows(text, delimiter)
		rows.LazyQuotes = true
		return t.convertRows(rows, in, limit, fmt.Sprintf("quotes stand where they should not (%v) and were taken "+
			"as they are", err))
	}
	if err != nil {
		return "", asInvalid(err)
	}
	return answer, nil
}

// asInvalid makes an error of rows that cannot be read one of the arguments.
func asInvalid(err error) error {
	var own *toolkit.Error
	if errors.As(err, &own) {
		return err
	}
	return arg.Invalid("csv", "rows that cannot be read ("+err.Error()+")", "CSV")
}

// convertRows reads the header, if there is one, and the rows.
func (t *Toolset) convertRows(rows *csv.Reader, in csvInput, limit int, note string) (string, error) {
	var names [][]byte
	if in.Header == nil || *in.Header {
		header, err := readRow(rows)
		if err != nil {
			return "", err
		}
		if names, err = memberNames(header); err != nil {
			return "", err
		}
	}
	return t.writeRows(rows, names, in.Types, limit, note)
}

func newRows(text string, delimiter rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = delimiter, -1, true
	r.TrimLeadingSpace = delimiter != '\t' && delimiter != ' '
	return r
}

// readRow gives the next row, nil at the end.
func readRow(r *csv.Reader) ([]string, error) {
	row, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	case len(row) > maxColumns:
		return nil, arg.Invalid("csv", fmt.Sprintf("a row of %d columns", len(row)), fmt.Sprintf("at most %d", maxColumns))
	}
	return row, nil
}

// memberNames makes different names of a header, as JSON: those that are missing are
// column_3, those that stand there again name_2.
func memberNames(header []string) ([][]byte, error) {
	taken := make(map[string]bool, len(header))
	names := make([][]byte, len(header))
	for i, name := range header {
		if name = strings.TrimSpace(name); name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		taken[unique] = true
		text, err := arg.JSON(unique)
		if err != nil {
			return nil, err
		}
		names[i] = []byte(text)
	}
	return names, nil
}

// writeRows writes JSON row by row, members in the columns' order.
func (t *Toolset) writeRows(rows *csv.Reader, names [][]byte, types bool, limit int, note string) (string, error) {
	var b bytes.Buffer
	b.WriteString(`{"rows":[`)
	count, uneven, more := 0, 0, false
	for {
		row, err := readRow(rows)
		if err != nil {
			return "", err
		}
		if row == nil {
			break
		}
		if more = count == limit; more {
			break
		}
		if count++; count > 1 {
			b.WriteByte(',')
		}
		if names != nil && len(row) != len(names) {
			uneven++
		}
		if err := writeRow(&b, row, names, types); err != nil {
			return "", err
		}
		if b.Len() > t.options.MaxOutput {
			return "", &toolkit.Error{Kind: toolkit.ErrTool,
				Message: fmt.Sprintf("the result has more than %d bytes after %d rows: ask with a lower limit",
					t.options.MaxOutput, count)}
		}
	}
	fmt.Fprintf(&b, `],"row_count":%d,"truncated":%t`, count, more)
	if uneven > 0 {
		note = strings.TrimPrefix(fmt.Sprintf("%s; %d rows have another number of columns than the header", note, uneven), "; ")
	}
	if note != "" {
		text, err := arg.JSON(note)
		if err != nil {
			return "", err
		}
		b.WriteString(`,"note":` + text)
	}
	b.WriteByte('}')
	return b.String(), nil
}

// writeRow writes one row: an object, where columns beyond the header are named by their number and
// missing ones are left out, or an array.
func writeRow(b *bytes.Buffer, row []string, names [][]byte, types bool) error {
	open, end := byte('{'), byte('}')
	if names == nil {
		open, end = '[', ']'
	}
	b.WriteByte(open)
	for i, cell := range row {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case names == nil:
		case i < len(names):
			b.Write(names[i])
			b.WriteByte(':')
		default:
			fmt.Fprintf(b, `"column_%d":`, i+1)
		}
		text, err := cellJSON(cell, types)
		if err != nil {
			return err
		}
		b.WriteString(text)
	}
	b.WriteByte(end)
	return nil
}

// cellJSON writes a cell as a string, or, with types, as what it looks like: numbers that
// JSON can hold as they are written, true, false, and null for nothing.
func cellJSON(cell string, types bool) (string, error) {
	if types {
		switch s := strings.TrimSpace(cell); {
		case s == "":
			return "null", nil
		case strings.EqualFold(s, "true"), strings.EqualFold(s, "false"):
			return strings.ToLower(s), nil
		case isNumber(s):
			return s, nil
		}
	}
	return arg.JSON(cell)
}

// isNumber reports whether s is a number as JSON writes it, of a size that programs can read. Zeros
// at the front, as of telephone numbers and postal codes, make it none.
func isNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' ||
		len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	if strings.Trim(digits, "0123456789.eE+-") != "" || strings.HasSuffix(digits, ".") ||
		strings.Contains(digits, ".e") || strings.Contains(digits, ".E") {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// delimiterOf is the delimiter that was given, or the one that the text seems to have.
func delimiterOf(given, text string) (rune, error) {
	switch given {
	case "":
		return detectDelimiter(text), nil
	case "tab", "\\t":
		return '\t', nil
	}
	r := []rune(given)
	if len(r) != 1 || strings.ContainsRune("\"\r\n\ufffd", r[0]) {
		return 0, arg.Invalid("delimiter", fmt.Sprintf("%.20q", given), "one character, or tab")
	}
	return r[0], nil
}

// detectDelimiter chooses the delimiter that gives the first rows the same number of
// columns, above one; of several the one that gives more; a comma if none does.
func detectDelimiter(text string) rune {
	best, columns := ',', 1
	for _, d := range ",;\t|" {
		r := newRows(sample(text), d)
		r.LazyQuotes = true
		n := 0
		for range 20 {
			row, err := r.Read()
			if err != nil {
				break
			}
			if n == 0 {
				n = len(row)
			} else if n != len(row) {
				n = 1
				break
			}
		}
		if n > columns {
			best, columns = d, n
		}
	}
	if columns == 1 {
		// No delimiter fits all rows: the first line decides.
		line, _, _ := strings.Cut(text, "\n")
		for _, d := range ",;\t|" {
			if n := strings.Count(line, string(d)); n >= columns {
				best, columns = d, n+1
			}
		}
	}
	return best
}

// sample is the beginning of a text, up to the end of a line.
func sample(text string) string {
	if len(text) <= 64<<10 {
		return text
	}
	text = text[:64<<10]
	return text[:strings.LastIndexByte(text, '\n')+1]
}
