// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// answerTime is how much longer than a call's own time limit the definitions ask
// the host to wait, so that the answer about the limit gets through.
const answerTime = 5 * time.Second

const (
	formatMember = `"format": {"type": "string", "enum": ["markdown", "article", "text", "links", "structured", "tables"], "default": "markdown", "description": "markdown: the whole page. article: its main text, without menus and the like. text: plain text. links, tables, structured (JSON-LD, OpenGraph, meta): JSON."}`
	fetchSchema  = `{"type":"object","properties":{
  "url": {"type": "string", "minLength": 1, "maxLength": 8192, "description": "Address of the page, http or https."},
  ` + formatMember + `,
  "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "The byte of the content to begin at, to read a long page on."}
},"required":["url"],"additionalProperties":false}`
	crawlSchema = `{"type":"object","properties":{
  "urls": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 8192}, "minItems": 1, "maxItems": 10, "description": "Addresses of the pages, http or https."},
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
		toolkit.NewTool("web_fetch", "Reads a page of the web: as Markdown, its article, plain text, links, tables or structured data.", t.fetch,
			reads("Read a web page", fetchSchema, t.options.Timeout)),
		toolkit.NewTool("web_crawl", fmt.Sprintf("Reads up to %d pages of the web at once, with pauses between those of one host. Each page that fails says why.", MaxCrawl), t.crawl,
			reads("Read several web pages", crawlSchema, t.crawlTime())),
	}
	if t.options.Search != nil {
		tools = append(tools, toolkit.NewTool("web_search", "Searches the web and answers with titles, addresses and excerpts. Read a result with web_fetch.", t.search,
			reads("Search the web", searchSchema, t.options.Timeout)))
	}
	return tools
}

// reads describes a tool that changes nothing and asks hosts nobody knows beforehand.
// Its risk is medium: an address can carry out what the model knows.
func reads(title, schema string, limit time.Duration) toolkit.ToolOption {
	return func(d *toolkit.Definition) {
		d.Title, d.InputSchema = title, json.RawMessage(schema)
		d.Type, d.Category, d.Risk = toolkit.ToolExtension, "web", toolkit.RiskMedium
		d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.Yes
		d.Timeout, d.Resources = limit+answerTime, []string{"web"}
	}
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
		return "", invalid("offset", fmt.Sprint(in.Offset), "0 or more")
	}
	u, err := t.target("url", in.URL)
	if err != nil {
		return "", err
	}
	p, err := t.read(ctx, u)
	if err != nil {
		return "", err
	}
	return p.tell(in.Format, in.Offset, t.options.MaxText)
}
