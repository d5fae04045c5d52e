// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/url"
	"strings"
	"time"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// maxElements is the largest page, in elements, that an article is looked for in:
// the search visits each of them several times.
const maxElements = 50_000

// markdown writes what is below n as Markdown with absolute links. It changes n.
func markdown(n *html.Node, at *url.URL) (string, error) {
	// A converter is cheap and not documented as safe for concurrent use.
	c := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	text, err := c.ConvertNode(n, converter.WithDomain(at.String()))
	if err != nil {
		return "", arg.Failed("the page cannot be written as Markdown")
	}
	return strings.TrimSpace(string(text)), nil
}

// article finds the page's article and writes it as Markdown, after lines that say who wrote
// it and when where the page tells. It changes doc.
func article(doc *html.Node, at *url.URL) (title, text string, err error) {
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	found, err := parser.ParseAndMutate(doc, at)
	if err != nil || found.Node == nil {
		return "", "", arg.Failed("no article was found in the page, want format markdown or text")
	}
	var head strings.Builder
	for _, line := range [][2]string{{"By", found.Byline()}, {"Site", found.SiteName()},
		{"Published", date(found.PublishedTime())}} {
		if line[1] != "" {
			head.WriteString(line[0] + ": " + strings.Join(strings.Fields(line[1]), " ") + "\n")
		}
	}
	body, err := markdown(found.Node, at)
	if err != nil {
		return "", "", err
	}
	if head.Len() > 0 {
		head.WriteByte('\n')
	}
	return strings.Join(strings.Fields(found.Title()), " "), head.String() + body, nil
}

func date(t time.Time, err error) string {
	if err != nil || t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}
