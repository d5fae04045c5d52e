// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

var textOperations = []string{"count", "replace", "regex_find", "regex_replace", "diff", "case", "extract", "encode",
	"decode", "hash"}

func (t *Toolset) text(ctx context.Context, in textInput) (string, error) {
	if err := t.checkInputs("text", in.Text, "other", in.Other, "replacement", in.Replacement, "find", in.Find); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	return t.answer(t.processed(ctx, in))
}

func (t *Toolset) processed(ctx context.Context, in textInput) (string, error) {
	switch in.Operation {
	case "count":
		return count(in)
	case "replace":
		return t.replace(in)
	case "regex_find":
		return t.regexFind(ctx, in)
	case "regex_replace":
		return t.regexReplace(ctx, in)
	case "diff":
		if d := udiff.Unified("text", "other", in.Text, in.Other); d != "" {
			return d, nil
		}
		return "the texts are equal", nil
	case "case":
		return changeCase(in)
	case "extract":
		return t.extract(ctx, in)
	case "encode":
		return encodeText(in)
	case "decode":
		return decodeText(in)
	case "hash":
		return hashText(in)
	}
	return "", arg.Invalid("operation", fmt.Sprintf("%.40q", in.Operation), strings.Join(textOperations, ", "))
}

// count tells how much of what there is.
func count(in textInput) (string, error) {
	lines := strings.Count(in.Text, "\n")
	if in.Text != "" && !strings.HasSuffix(in.Text, "\n") {
		lines++
	}
	counts := struct {
		Bytes      int  `json:"bytes"`
		Characters int  `json:"characters"`
		Words      int  `json:"words"`
		Lines      int  `json:"lines"`
		Found      *int `json:"found,omitempty"`
	}{len(in.Text), utf8.RuneCountInString(in.Text), len(strings.Fields(in.Text)), lines, nil}
	if in.Find != "" {
		n := strings.Count(folded(in.Text, in.IgnoreCase), folded(in.Find, in.IgnoreCase))
		counts.Found = &n
	}
	return arg.JSON(counts)
}

// folded is s in lower case if case does not count.
func folded(s string, ignoreCase bool) string {
	if ignoreCase {
		return strings.ToLower(s)
	}
	return s
}

// replace puts one text in the place of another, everywhere.
func (t *Toolset) replace(in textInput) (string, error) {
	if in.Find == "" {
		return "", arg.Invalid("find", "none", "the text to replace")
	}
	if in.IgnoreCase {
		return "", arg.Invalid("ignore_case", "true", "operation regex_replace for that")
	}
	n := strings.Count(in.Text, in.Find)
	if size := len(in.Text) + n*(len(in.Replacement)-len(in.Find)); size > t.options.MaxOutput {
		return "", t.tooLong(fmt.Sprint(size))
	}
	return told(n, strings.ReplaceAll(in.Text, in.Find, in.Replacement)), nil
}

// told puts the number of replacements before a text.
func told(n int, text string) string {
	if n == 1 {
		return "1 replacement\n\n" + text
	}
	return fmt.Sprintf("%d replacements\n\n%s", n, text)
}

// found is one match: the byte it begins at, its text, and its groups.
type found struct {
	At     int               `json:"at"`
	Text   string            `json:"text"`
	Groups []string          `json:"groups,omitempty"`
	Named  map[string]string `json:"named,omitempty"`
}

func (t *Toolset) regexFind(ctx context.Context, in textInput) (string, error) {
	limit, err := arg.Number("limit", in.Limit, 100, 1, 1000)
	if err != nil {
		return "", err
	}
	s, err := newSearcher(in.Pattern, in.IgnoreCase)
	if err != nil {
		return "", err
	}
	names := s.first.SubexpNames()
	matches, more, size := []found{}, false, 0
	err = s.each(ctx, in.Text, func(m []int) bool {
		if len(matches) == limit || size > t.options.MaxOutput {
			more = true
			return false
		}
		f := found{At: m[0], Text: in.Text[m[0]:m[1]]}
		for i := 2; i < len(m); i += 2 {
			group := ""
			if m[i] >= 0 {
				group = in.Text[m[i]:m[i+1]]
			}
			size += len(group)
			f.Groups = append(f.Groups, group)
			if name := names[i/2]; name != "" {
				if f.Named == nil {
					f.Named = make(map[string]string)
				}
				f.Named[name] = group
			}
		}
		size += len(f.Text)
		matches = append(matches, f)
		return true
	})
	if err != nil {
		return "", err
	}
	return arg.JSON(struct {
		Matches   []found `json:"matches"`
		Truncated bool    `json:"truncated"`
	}{matches, more})
}

func (t *Toolset) regexReplace(ctx context.Context, in textInput) (string, error) {
	s, err := newSearcher(in.Pattern, in.IgnoreCase)
	if err != nil {
		return "", err
	}
	var b []byte
	n, end := 0, 0
	err = s.each(ctx, in.Text, func(m []int) bool {
		b = append(b, in.Text[end:m[0]]...)
		b = s.first.ExpandString(b, in.Replacement, in.Text, m)
		n, end = n+1, m[1]
		return len(b) <= t.options.MaxOutput
	})
	if err != nil {
		return "", err
	}
	if len(b) > t.options.MaxOutput {
		return "", t.tooLong("more")
	}
	return told(n, string(append(b, in.Text[end:]...))), nil
}

// changeCase writes a text in another case, or its words as one name.
func changeCase(in textInput) (string, error) {
	upper, lower, title := cases.Upper(language.Und), cases.Lower(language.Und), cases.Title(language.Und)
	switch in.To {
	case "upper":
		return upper.String(in.Text), nil
	case "lower":
		return lower.String(in.Text), nil
	case "title":
		return title.String(in.Text), nil
	case "snake":
		return lower.String(strings.Join(nameWords(in.Text), "_")), nil
	case "constant":
		return upper.String(strings.Join(nameWords(in.Text), "_")), nil
	case "kebab":
		return lower.String(strings.Join(nameWords(in.Text), "-")), nil
	case "camel", "pascal":
		words := nameWords(in.Text)
		for i, w := range words {
			if i == 0 && in.To == "camel" {
				words[i] = lower.String(w)
			} else {
				words[i] = title.String(w)
			}
		}
		return strings.Join(words, ""), nil
	}
	return "", arg.Invalid("to", fmt.Sprintf("%.40q", in.To), "upper, lower, title, snake, constant, kebab, camel or pascal")
}

// nameWords splits at what is no letter or digit, and at capitals: "parseHTTPHeader2" is
// parse, HTTP, Header2.
func nameWords(s string) (words []string) {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	text := []rune(s)
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 {
			if !unicode.IsUpper(word[len(word)-1]) || i+1 < len(text) && unicode.IsLower(text[i+1]) {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return words
}
