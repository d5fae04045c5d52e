// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// answerTime is how much longer than a call's own time limit the definitions ask
// the host to wait, so that the answer about the limit gets through.
const answerTime = 5 * time.Second

const (
	formatMember = `"format": {"type": "string", "enum": ["markdown", "article", "text", "links", "structured", ` +
		`"tables"], "default": "markdown", "description": "markdown: the whole page. article: its main text, ` +
		`without menus and the like. text: plain text. links, tables, structured (JSON-LD, OpenGraph, meta): JSON."}`
	fetchSchema = `{"type":"object","properties":{
  "url": {"type": "string", "minLength": 1, "maxLength": 8192, "description": "Address of the page, http or https."},
  ` + formatMember + `,
  "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "The byte of the content to begin at, to ` +
		`read a long page on."}
},"required":["url"],"additionalProperties":false}`
	crawlSchema = `{"type":"object","properties":{
  "urls": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "minItems": 1, ` +
		`"maxItems": 10, "description": "Addresses of the pages, http or https."},
  ` + formatMember + `
},"required":["urls"],"additionalProperties":false}`
	searchSchema = `{"type":"object","properties":{
  "query": {"type": "string", "minLength": 1, "maxLength": 400, "description": "What to search for."},
  "count": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5, "description": "How many results."},
  "language": {"type": "string", "pattern": "^[a-z]{2}$", "description": "Language of the results, such as en; any if left out."}
},"required":["query"],"additionalProperties":false}`
)

// Tools are web_fetch and web_crawl, and with [Options.Search] web_search.
func (t *Toolset) Tools() []toolkit.Tool {
	tools := []toolkit.Tool{
		toolkit.NewTool(reads(toolkit.Definition{
			Name:        "web_fetch",
			Description: "Reads a page of the web: as Markdown, its article, plain text, links, tables or structured data.",
			Title:       "Read a web page", InputSchema: json.RawMessage(fetchSchema), Timeout: t.options.Timeout + answerTime,
		}), t.fetch),
		toolkit.NewTool(reads(toolkit.Definition{
			Name: "web_crawl",
			Description: fmt.Sprintf("Reads up to %d pages of the web at once, with pauses between those of one host. "+
				"Each page that fails says why.", maxCrawl),
			Title: "Read several web pages", InputSchema: json.RawMessage(crawlSchema), Timeout: t.crawlTime() + answerTime,
		}), t.crawl),
	}
	if t.options.Search != nil {
		tools = append(tools, toolkit.NewTool(reads(toolkit.Definition{
			Name:        "web_search",
			Description: "Searches the web and answers with titles, addresses and excerpts. Read a result with web_fetch.",
			Title:       "Search the web", InputSchema: json.RawMessage(searchSchema), Timeout: t.options.Timeout + answerTime,
		}), t.search))
	}
	return tools
}

// reads adds to a definition what the tools have in common: they change nothing and connect to
// hosts that the model names. Their risk is medium: an address can carry out what the model knows.
func reads(d toolkit.Definition) toolkit.Definition {
	d.Type, d.Category, d.Risk, d.Resources = toolkit.ToolExtension, "web", toolkit.RiskMedium, []string{"web"}
	d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.Yes
	return d
}

type fetchInput struct {
	URL    string `json:"url"`
	Format string `json:"format"`
	Offset int    `json:"offset"`
}

func (t *Toolset) fetch(ctx context.Context, in fetchInput) (string, error) {
	if err := checkFormat(&in.Format); err != nil {
		return "", err
	}
	if in.Offset < 0 {
		return "", arg.Invalid("offset", fmt.Sprint(in.Offset), "0 or more")
	}
	u, err := t.target("url", in.URL)
	if err != nil {
		return "", err
	}
	p, err := t.read(ctx, u)
	if err != nil {
		return "", err
	}
	return p.writeAnswer(in.Format, in.Offset, t.options.MaxText)
}
