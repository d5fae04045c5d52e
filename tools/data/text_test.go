// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

func TestText(t *testing.T) {
	const wrong = toolkit.ErrInvalidArguments
	for _, s := range []scenario{
		{"count", object{"operation": "count", "text": "größer als\nzwei", "find": "e"},
			`{"bytes":17,"characters":15,"words":3,"lines":2,"found":2}`, ""},
		{"count nothing", object{"operation": "count", "text": ""}, `{"bytes":0,"characters":0,"words":0,"lines":0}`, ""},
		{"count in any case", object{"operation": "count", "text": "Aa\n", "find": "A", "ignore_case": true},
			`{"bytes":3,"characters":3,"words":1,"lines":1,"found":2}`, ""},
		{"replace", object{"operation": "replace", "text": "a.a.b", "find": "a.", "replacement": "$1"},
			"2 replacements\n\n$1$1b", ""},
		{"replace nothing", object{"operation": "replace", "text": "a"}, "find: got none", wrong},
		{"replace in any case", object{"operation": "replace", "text": "a", "find": "A", "ignore_case": true},
			"regex_replace", wrong},
		{"replace too much", object{"operation": "replace", "text": strings.Repeat("a", 1000), "find": "a",
			"replacement": strings.Repeat("b", 1000)}, "the result has 1000000 bytes", toolkit.ErrTool},
		{"regex_find", object{"operation": "regex_find", "text": "ä k=v, key=", "pattern": `(\pL+)=(?P<value>\w*)`},
			`{"matches":[{"at":3,"text":"k=v","groups":["k","v"],"named":{"value":"v"}},{"at":8,"text":"key=",` +
				`"groups":["key",""],"named":{"value":""}}],"truncated":false}`, ""},
		{"regex_find some", object{"operation": "regex_find", "text": "aaa", "pattern": "A", "ignore_case": true,
			"limit": 2}, `{"matches":[{"at":0,"text":"a"},{"at":1,"text":"a"}],"truncated":true}`, ""},
		{"regex_find none", object{"operation": "regex_find", "text": "b", "pattern": "a"},
			`{"matches":[],"truncated":false}`, ""},
		{"regex_find with look-ahead", object{"operation": "regex_find", "text": "b", "pattern": "(?=a)"},
			"without look-around", wrong},
		{"regex_find without pattern", object{"operation": "regex_find", "text": "b"}, "1 to 1000 bytes", wrong},
		{"regex_find with a long pattern",
			object{"operation": "regex_find", "text": "b", "pattern": strings.Repeat("a", 1001)}, "1 to 1000 bytes", wrong},
		{"regex_find with two", object{"operation": "regex_find", "text": "b", "pattern": "a)(b"},
			"no regular expression", wrong},
		{"regex_find without limit", object{"operation": "regex_find", "text": "b", "pattern": "a", "limit": 0},
			"limit: got 0", wrong},
		{"regex_replace", object{"operation": "regex_replace", "text": "2026-03-01", "pattern": `(\d+)-(\d+)-(\d+)`,
			"replacement": "$3.${2}.$1"}, "1 replacement\n\n01.03.2026", ""},
		{"regex_replace too much",
			object{"operation": "regex_replace", "text": strings.Repeat("a", 5000), "pattern": "",
				"replacement": "b"}, "1 to 1000 bytes", wrong},
		{"regex_replace far too much",
			object{"operation": "regex_replace", "text": strings.Repeat("a", 5000), "pattern": "a|",
				"replacement": strings.Repeat("b", 1000)}, "more bytes", toolkit.ErrTool},
		{"diff", object{"operation": "diff", "text": "a\nb\nc\n", "other": "a\nB\nc\n"},
			"--- text\n+++ other\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", ""},
		{"diff of equals", object{"operation": "diff", "text": "a", "other": "a"}, "the texts are equal", ""},
		{"upper", object{"operation": "case", "text": "straße", "to": "upper"}, "STRASSE", ""},
		{"title", object{"operation": "case", "text": "don't STOP the \"music\" now", "to": "title"},
			"Don't Stop The \"Music\" Now", ""},
		{"snake", object{"operation": "case", "text": "parseHTTPHeader2 now", "to": "snake"}, "parse_http_header2_now", ""},
		{"constant", object{"operation": "case", "text": "größeIn cm", "to": "constant"}, "GRÖSSE_IN_CM", ""},
		{"kebab", object{"operation": "case", "text": "__one two--three", "to": "kebab"}, "one-two-three", ""},
		{"camel", object{"operation": "case", "text": "one_two three", "to": "camel"}, "oneTwoThree", ""},
		{"pascal", object{"operation": "case", "text": "one_TWO", "to": "pascal"}, "OneTwo", ""},
		{"no case", object{"operation": "case", "text": "x"}, "to: got", wrong},
		{"emails", object{"operation": "extract", "text": "Ada <ada.l+x@mail.example.org>, bob@example.com; " +
			"ada.l+x@mail.example.org, no@one", "what": "emails"}, `["ada.l+x@mail.example.org","bob@example.com"]`, ""},
		{"urls", object{"operation": "extract", "text": "see https://x.example/a?b=c&d=1, (HTTP://Y.example/z) or " +
			"ftp://no.", "what": "urls"}, `["https://x.example/a?b=c&d=1","HTTP://Y.example/z"]`, ""},
		{"numbers", object{"operation": "extract", "text": "1,234.5 and -3, 2e10; 10-20, x=-7", "what": "numbers"},
			`["1,234.5","-3","2e10","10","20","-7"]`, ""},
		{"ips", object{"operation": "extract", "text": "10.0.0.1 256.1.1.1 1.2.3.4", "what": "ips"},
			`["10.0.0.1","1.2.3.4"]`, ""},
		{"dates", object{"operation": "extract", "text": "on 2026-03-01 at 2026-03-01T10:00:00Z, not 2026-13-01",
			"what": "dates"}, `["2026-03-01","2026-03-01T10:00:00Z"]`, ""},
		{"none found", object{"operation": "extract", "text": "", "what": "dates"}, `[]`, ""},
		{"extract what", object{"operation": "extract", "text": "x", "what": "names"}, "what: got \"names\"", wrong},
		{"base64", object{"operation": "encode", "text": "größe", "encoding": "base64"}, "Z3LDtsOfZQ==", ""},
		{"base64url", object{"operation": "encode", "text": "???>>>", "encoding": "base64url"}, "Pz8_Pj4-", ""},
		{"hex", object{"operation": "encode", "text": "ab", "encoding": "hex"}, "6162", ""},
		{"url", object{"operation": "encode", "text": "a b&c=ü", "encoding": "url"}, "a%20b%26c%3D%C3%BC", ""},
		{"html", object{"operation": "encode", "text": "<a b=\"c\">&", "encoding": "html"}, "&lt;a b=&#34;c&#34;&gt;&amp;", ""},
		{"from base64", object{"operation": "decode", "text": " Z3LDts\nOfZQ ", "encoding": "base64"}, "größe", ""},
		{"from base64url", object{"operation": "decode", "text": "Pz8_Pj4-", "encoding": "base64"}, "???>>>", ""},
		{"from bytes", object{"operation": "decode", "text": "ff00", "encoding": "hex"},
			"2 bytes that are no text, in hexadecimal:\nff00", ""},
		{"from url", object{"operation": "decode", "text": "a+b%20c", "encoding": "url"}, "a b c", ""},
		{"from html", object{"operation": "decode", "text": "&lt;&uuml;&#34;", "encoding": "html"}, "<ü\"", ""},
		{"not base64", object{"operation": "decode", "text": "!", "encoding": "base64"}, "not in base64", wrong},
		{"not hex", object{"operation": "decode", "text": "abc", "encoding": "hex"}, "not in hex", wrong},
		{"not url", object{"operation": "decode", "text": "%zz", "encoding": "url"}, "not in url", wrong},
		{"no encoding", object{"operation": "decode", "text": "x"}, "want base64", wrong},
		{"sha256", object{"operation": "hash", "text": "abc"},
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", ""},
		{"sha1", object{"operation": "hash", "text": "abc", "algorithm": "sha1"},
			"a9993e364706816aba3e25717850c26c9cd0d89d (broken: not for security)", ""},
		{"md5", object{"operation": "hash", "text": "abc", "algorithm": "md5"},
			"900150983cd24fb0d6963f7d28e17f72 (broken: not for security)", ""},
		{"crc32", object{"operation": "hash", "text": "abc", "algorithm": "crc32"},
			"352441c2 (a checksum: not for security)", ""},
		{"no hash", object{"operation": "hash", "text": "abc", "algorithm": "sha3"}, "algorithm: got \"sha3\"", wrong},
		{"no operation", object{"text": "abc"}, "operation: got \"\"", wrong},
		{"too large", object{"operation": "count", "text": strings.Repeat("x", 1<<20+1)},
			"1048577 bytes, want at most 1048576", wrong},
	} {
		s.run(t, data.Options{}, "text")
	}
	if res := call(t.Context(), t, data.Options{}, "text",
		object{"operation": "hash", "text": "abc", "algorithm": "sha512"}); len(res.Output) != 128 {
		t.Errorf("sha512: got %s", res.Output)
	}
}

// TestRegexTime runs an expression whose every match looks at all that follows.
func TestRegexTime(t *testing.T) {
	text := strings.Repeat("a", 1<<20)
	scenario{"quadratic", object{"operation": "regex_replace", "text": text, "pattern": "a.*b|a", "replacement": ""},
		"takes too long", toolkit.ErrTimeout}.
		run(t, data.Options{Timeout: 200 * time.Millisecond}, "text")
	scenario{"many states", object{"operation": "regex_find", "text": text,
		"pattern": strings.Repeat("(a?){50}", 50) + "b"}, "takes too long", toolkit.ErrTimeout}.
		run(t, data.Options{Timeout: 200 * time.Millisecond}, "text")
}

// FuzzMatches compares the search that can be stopped with the one of package regexp.
func FuzzMatches(f *testing.F) {
	for _, s := range [][2]string{{"a|", "aba"}, {`\bx*\b`, "x xx  y"}, {"(?m)^.*$", "a\nb\n"}, {"^a", "aa"},
		{`\Ba`, "aaa ä a"}, {"(a)|(b)", "abab"}, {"", "abc"}, {"(?i)Ä+", "äÄ"}, {`x*?`, "xx"}, {"a$", "a\na"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 100 || len(text) > 1000 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		re, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		got, err := data.Matches(context.Background(), pattern, text)
		if err != nil {
			return // expressions that are empty or too large
		}
		if want := re.FindAllStringSubmatchIndex(text, -1); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q in %q: got %v, want %v", pattern, text, got, want)
		}
	})
}
