// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

func TestCSV(t *testing.T) {
	const wrong = toolkit.ErrInvalidArguments
	for _, s := range []scenario{
		{"plain", object{"csv": "name,price\npear,1.20\n\"plum, red\",\"3 \"\"x\"\"\"\n"},
			`{"rows":[{"name":"pear","price":"1.20"},{"name":"plum, red","price":"3 ` +
				`\"x\""}],"row_count":2,"truncated":false}`, ""},
		{"types", object{"csv": "a,b,c,d,e,f\n1.50,TRUE,,007,1e3,-0.5\n 12 ,no,NaN,+1,1.,0x10", "types": true},
			`{"rows":[{"a":1.50,"b":true,"c":null,"d":"007","e":1e3,"f":-0.5},{"a":12,"b":"no","c":"NaN","d":"+1",` +
				`"e":"1.","f":"0x10"}],"row_count":2,"truncated":false}`, ""},
		{"semicolons", object{"csv": "name;price\npear;1,20\nplum;2,30"},
			`{"rows":[{"name":"pear","price":"1,20"},{"name":"plum","price":"2,30"}],"row_count":2,"truncated":false}`, ""},
		{"tabs, mark and returns", object{"csv": "\ufeffa\tb\r\n1\t2\r\n"},
			`{"rows":[{"a":"1","b":"2"}],"row_count":1,"truncated":false}`, ""},
		{"bars", object{"csv": "a|b\n1|2"}, `{"rows":[{"a":"1","b":"2"}],"row_count":1,"truncated":false}`, ""},
		{"one column", object{"csv": "a\n1\n2"}, `{"rows":[{"a":"1"},{"a":"2"}],"row_count":2,"truncated":false}`, ""},
		{"no header", object{"csv": "1,2\n3,4", "header": false, "types": true},
			`{"rows":[[1,2],[3,4]],"row_count":2,"truncated":false}`, ""},
		{"header alone", object{"csv": "a,b"}, `{"rows":[],"row_count":0,"truncated":false}`, ""},
		{"names", object{"csv": "a,,a,a_2\n1,2,3,4"},
			`{"rows":[{"a":"1","column_2":"2","a_2":"3","a_2_2":"4"}],"row_count":1,"truncated":false}`, ""},
		{"uneven", object{"csv": "a,b\n1\n1,2,3"}, `{"rows":[{"a":"1"},{"a":"1","b":"2","column_3":"3"}],` +
			`"row_count":2,"truncated":false,"note":"2 rows have another number of columns than the header"}`, ""},
		{"limit", object{"csv": "a\n1\n2\n3", "limit": 2}, `{"rows":[{"a":"1"},{"a":"2"}],"row_count":2,"truncated":true}`, ""},
		{"line end in a cell", object{"csv": "a,b\n\"1\n2\",3"},
			`{"rows":[{"a":"1\n2","b":"3"}],"row_count":1,"truncated":false}`, ""},
		{"delimiter", object{"csv": "a:b\n1:2", "delimiter": ":"},
			`{"rows":[{"a":"1","b":"2"}],"row_count":1,"truncated":false}`, ""},
		{"tab by name", object{"csv": "a\tb,c", "delimiter": "tab", "header": false},
			`{"rows":[["a","b,c"]],"row_count":1,"truncated":false}`, ""},
		{"html", object{"csv": "a\n<b>&", "header": true}, `{"rows":[{"a":"<b>&"}],"row_count":1,"truncated":false}`, ""},
		{"two delimiters", object{"csv": "a", "delimiter": ",;"}, "one character", wrong},
		{"quote", object{"csv": "a", "delimiter": "\""}, "one character", wrong},
		{"nothing", object{"csv": " \n"}, "csv: got nothing", wrong},
		{"no limit", object{"csv": "a", "limit": 0}, "limit: got 0", wrong},
		{"bare quote", object{"csv": "a,b\n5\" pipe,2"}, `{"rows":[{"a":"5\" ` +
			`pipe","b":"2"}],"row_count":1,"truncated":false,"note":"quotes stand where they should not (parse ` +
			`error on line 2, column 2: bare \" in non-quoted-field) and were taken as they are"}`, ""},
		{"open quote", object{"csv": "a,b\n\"1,2"}, `{"rows":[{"a":"1,2"}],"row_count":1,"truncated":false,` +
			`"note":"quotes stand where they should not (parse error on line 2, column 5: extraneous or missing ` +
			`\" in quoted-field) and were taken as they are; 1 rows have another number of columns than the header"}`, ""},
		{"columns", object{"csv": strings.Repeat(",", 1000)}, "a row of 1001 columns", wrong},
		{"too long", object{"csv": "a\n" + strings.Repeat("xxxxxxxxxx\n", 30_000), "limit": 10_000, "header": false}, "", ""},
	} {
		if s.name == "too long" {
			s.want, s.kind = "ask with a lower limit", toolkit.ErrTool
			s.run(t, data.Options{MaxOutput: 1000}, "csv_to_json")
			continue
		}
		s.run(t, data.Options{}, "csv_to_json")
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "a;b\n1;2,5\n", "a\tb", "\ufeff\"a\"\n\"b\"\"c\"", ",,\n,",
		"a|b\n\"x\n|y\"|z", "a\r\n1\r\n", "1e5,0x1,-,.5,1.\n"} {
		f.Add(s, true, true)
		f.Add(s, false, false)
	}
	f.Fuzz(func(t *testing.T, text string, header, types bool) {
		res := call(t.Context(), t, data.Options{}, "csv_to_json", object{"csv": text, "header": header, "types": types})
		if res.Fault == nil && !json.Valid([]byte(res.Output)) {
			t.Errorf("%q: got %s, which is no JSON", text, res.Output)
		}
	})
}
