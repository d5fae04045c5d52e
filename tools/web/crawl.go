// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// crawlers is how many hosts one crawl asks at a time.
const crawlers = 4

type crawlInput struct {
	URLs   []string `json:"urls"`
	Format string   `json:"format"`
}

// crawlTime is the longest that a crawl may take.
func (t *Toolset) crawlTime() time.Duration { return 4 * t.options.Timeout }

// crawl reads several pages: hosts side by side, the pages of one host one after
// the other. It fails if no page could be read.
func (t *Toolset) crawl(ctx context.Context, in crawlInput) (string, error) {
	if err := checkFormat(&in.Format); err != nil {
		return "", err
	}
	if len(in.URLs) == 0 || len(in.URLs) > maxCrawl {
		return "", arg.Invalid("urls", fmt.Sprintf("%d addresses", len(in.URLs)), fmt.Sprintf("1 to %d", maxCrawl))
	}
	ctx, cancel := context.WithTimeout(ctx, t.crawlTime())
	defer cancel()
	parts := make([]crawled, len(in.URLs))
	queues := t.queues(in.URLs, parts)
	work := make(chan []int, len(queues))
	for _, q := range queues {
		work <- q
	}
	close(work)
	room := max(1, t.options.MaxText/len(in.URLs))
	var group sync.WaitGroup
	for range min(crawlers, len(queues)) {
		group.Go(func() {
			for queue := range work {
				for _, i := range queue {
					parts[i].read(ctx, t, in.Format, room)
				}
			}
		})
	}
	group.Wait()
	return join(in.URLs, parts)
}

// crawled is one page of a crawl.
type crawled struct {
	url  *url.URL // nil if it may not be asked for
	text string
	err  error
}

// queues checks the addresses, and gives for each host the places of its pages.
// An address that is given twice is read once.
func (t *Toolset) queues(urls []string, parts []crawled) [][]int {
	var queues [][]int
	hosts, seen := make(map[string]int), make(map[string]int)
	for i, text := range urls {
		p := &parts[i]
		if p.url, p.err = t.target(fmt.Sprintf("urls[%d]", i), text); p.err != nil {
			continue
		}
		if first, ok := seen[p.url.String()]; ok {
			p.err = arg.Invalid(fmt.Sprintf("urls[%d]", i), fmt.Sprintf("the same address as urls[%d]", first), "another")
			continue
		}
		seen[p.url.String()] = i
		at, ok := hosts[p.url.Host]
		if !ok {
			at = len(queues)
			hosts[p.url.Host] = at
			queues = append(queues, nil)
		}
		queues[at] = append(queues[at], i)
	}
	return queues
}

func (c *crawled) read(ctx context.Context, t *Toolset, format string, room int) {
	p, err := t.read(ctx, c.url)
	if err != nil {
		c.err = err
		return
	}
	c.text, c.err = p.writeAnswer(format, 0, room)
}

// join writes the pages one after the other; if none could be read, that is an error
// of the first one's kind.
func join(urls []string, parts []crawled) (string, error) {
	var b strings.Builder
	var first error
	read := 0
	for i, p := range parts {
		fmt.Fprintf(&b, "=== %d of %d: %s\n", i+1, len(parts), clip(strings.TrimSpace(urls[i]), 300))
		if p.err != nil {
			first = cmp.Or(first, p.err)
			fmt.Fprintf(&b, "Failed: %s\n\n", p.err.Error())
			continue
		}
		read++
		b.WriteString(p.text)
		b.WriteString("\n\n")
	}
	text := strings.TrimSpace(b.String())
	if read == 0 {
		return "", sameKind(first, "no page could be read\n"+text)
	}
	return text, nil
}
