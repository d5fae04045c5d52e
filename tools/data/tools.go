// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// answerTime is how much longer than a call's own time limit the definitions ask
// the host to wait, so that the answer about the limit gets through.
const answerTime = 5 * time.Second

const (
	calculatorSchema = `{"type":"object","properties":{
  "expression": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Such as (0.1 + 0.2) * 3, 15% ` +
		`of 80, 2^64, round(10/3, 2), 60 mph to km/h, 20 °C to °F, 1.5 GiB / 20 s to MB/s. Operators + - * / // ^ ` +
		`mod ! %; functions abs sqrt cbrt exp ln log log2 log10 sin cos tan asin acos atan round floor ceil trunc ` +
		`sign min max sum mean median gcd lcm; constants pi, e. Angles are radians, or 30 deg."}
},"required":["expression"],"additionalProperties":false}`
	textSchema = `{"type":"object","properties":{
  "operation": {"type": "string", "enum": ["count", "replace", "regex_find", "regex_replace", "diff", "case", ` +
		`"extract", "encode", "decode", "hash"], "description": "count: bytes, characters, words, lines, and how ` +
		`often find stands there. replace: find by replacement. regex_find, regex_replace: by pattern. diff: how ` +
		`text becomes other, as a unified diff."},
  "text": {"type": "string"},
  "other": {"type": "string", "description": "diff: the second text."},
  "find": {"type": "string", "description": "replace, count: the text to look for."},
  "pattern": {"type": "string", "description": "regex_find, regex_replace: a regular expression (RE2: no ` +
		`look-around, no back references)."},
  "replacement": {"type": "string", "description": "replace, regex_replace: what to put there; with regex_replace, ` +
		`$1 or ${name} is a group."},
  "ignore_case": {"type": "boolean", "default": false, "description": "count, regex_find, regex_replace: whether ` +
		`case does not count."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "regex_find: how many ` +
		`matches are shown."},
  "to": {"type": "string", "enum": ["upper", "lower", "title", "snake", "constant", "kebab", "camel", "pascal"], ` +
		`"description": "case: what to write the text in."},
  "what": {"type": "string", "enum": ["emails", "urls", "numbers", "ips", "dates"], "description": "extract: what to list."},
  "encoding": {"type": "string", "enum": ["base64", "base64url", "hex", "url", "html"], "description": "encode, decode."},
  "algorithm": {"type": "string", "enum": ["sha256", "sha512", "sha1", "md5", "crc32"], "default": "sha256", ` +
		`"description": "hash."}
},"required":["operation","text"],"additionalProperties":false}`
	jsonSchema = `{"type":"object","properties":{
  "operation": {"type": "string", "enum": %s, "description": "query: values by JSONPath (RFC 9535).%s validate: ` +
		`whether json is JSON and fits schema. format: in style. diff: how json becomes other. patch: other applied ` +
		`as a JSON patch (RFC 6902). merge: other applied as a merge patch (RFC 7396)."},
  "json": {"description": "The document: as text, or as JSON itself."},
  "other": {"description": "diff: the second document. patch, merge: the patch."},
  "schema": {"description": "validate: a JSON Schema; left out, only the form is checked."},
  "query": {"type": "string", "maxLength": 2000, "description": "query: such as $.store.book[?@.price < 10].title."},
  "style": {"type": "string", "enum": ["indented", "compact", "sorted", "patch", "readable"], "description": ` +
		`"format: indented (default), compact, or sorted by name. diff: patch (RFC 6902, default) or readable."}
},"required":["operation","json"],"additionalProperties":false}`
	csvSchema = `{"type":"object","properties":{
  "csv": {"type": "string", "minLength": 1},
  "delimiter": {"type": "string", "description": "One character, or tab; found out if left out."},
  "header": {"type": "boolean", "default": true, "description": "Whether the first row names the columns; else rows are arrays."},
  "types": {"type": "boolean", "default": false, "description": "Whether cells that look like numbers, true, false ` +
		`or nothing become that; else all are strings."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000, "description": "How many rows."}
},"required":["csv"],"additionalProperties":false}`
	zoneText = `{"type": "string", "maxLength": 64, "description": "IANA name such as Europe/Berlin, or an ` +
		`offset such as +02:00%s"}`
	dateSchema = `{"type":"object","properties":{
  "operation": {"type": "string", "enum": ["add", "diff", "convert", "format", "parse", "info"], "description": ` +
		`"add: duration to date. diff: from date to other. convert: date to another time zone. format, parse: by ` +
		`strftime's signs. info: weekday, week, day of the year, length of the month."},
  "date": {"type": "string", "description": "2026-03-01, 2026-03-01T12:00:00+01:00, 1 March 2026, or seconds since 1970."},
  "other": {"type": "string", "description": "diff: the second date."},
  "duration": {"type": "string", "description": "add: such as \"1 month 2 days\", \"-3 hours\", \"10 workdays\", or ` +
		`P1Y2M10DT2H30M."},
  "format": {"type": "string", "maxLength": 200, "description": "format, parse: such as %%A, %%d %%B %%Y or %%d.%%m.%%Y."},
  "timezone": ` + zoneText + `,
  "to_timezone": ` + zoneText + `
},"required":["operation","date"],"additionalProperties":false}`
	nowSchema = `{"type":"object","properties":{"timezone": ` + zoneText + `},"additionalProperties":false}`
)

// Tools are calculator, text, json, csv_to_json, date and date_now.
func (t *Toolset) Tools() []toolkit.Tool {
	operations, _ := json.Marshal(t.operations()) // strings can always be written
	jq := ""
	if t.options.JQ {
		jq = " jq: a jq program in query."
	}
	standard := "; " + t.options.Location.String() + " if left out."
	clock := t.computes(toolkit.Definition{
		Name: "date_now", Description: "Tells the date and time of now, the weekday and the week.",
		Title: "Date and time", InputSchema: formatSchema(nowSchema, standard),
	})
	// It changes nothing, but no two results are alike and none may be stored.
	clock.Idempotent, clock.CacheTTL, clock.Resources = toolkit.No, -1, []string{"clock"}
	return []toolkit.Tool{
		toolkit.NewTool(t.computes(toolkit.Definition{
			Name: "calculator",
			Description: "Computes an expression exactly, with decimals of any length, units and functions. " +
				"A result that had to be rounded begins with ≈.",
			Title: "Calculate", InputSchema: json.RawMessage(calculatorSchema),
		}), t.calculate),
		toolkit.NewTool(t.computes(toolkit.Definition{
			Name: "text", Description: "Processes text: " + strings.Join(textOperations, ", ") + ".",
			Title: "Process text", InputSchema: json.RawMessage(textSchema),
		}), t.text),
		toolkit.NewTool(t.computes(toolkit.Definition{
			Name: "json", Description: "Processes JSON: " + strings.Join(t.operations(), ", ") + ".",
			Title: "Process JSON", InputSchema: formatSchema(jsonSchema, operations, jq),
		}), t.json),
		toolkit.NewTool(t.computes(toolkit.Definition{
			Name: "csv_to_json", Description: "Reads CSV and answers with its rows as JSON.",
			Title: "CSV to JSON", InputSchema: json.RawMessage(csvSchema),
		}), t.csvToJSON),
		toolkit.NewTool(t.computes(toolkit.Definition{
			Name: "date", Description: "Computes with dates and time zones: " + strings.Join(dateOperations, ", ") + ".",
			Title: "Dates", InputSchema: formatSchema(dateSchema,
				", which dates without a zone are in"+standard, ", that convert leads to"+standard),
		}), t.date),
		toolkit.NewTool(clock, t.now),
	}
}

// formatSchema is a schema with its gaps filled.
func formatSchema(format string, gaps ...any) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(format, gaps...))
}

// computes adds to a definition what the tools have in common whose result depends on their
// arguments only.
func (t *Toolset) computes(d toolkit.Definition) toolkit.Definition {
	d.Category, d.Risk = "data", toolkit.RiskLow
	d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.No
	d.Timeout, d.Resources = t.options.Timeout+answerTime, []string{"arguments"}
	return d
}

type calculatorInput struct {
	Expression string `json:"expression"`
}

func (t *Toolset) calculate(_ context.Context, in calculatorInput) (string, error) {
	return calculate(in.Expression)
}
