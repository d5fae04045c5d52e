// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

const (
	maxQuery = 2000 // bytes of a query
	// maxVisits is how many bytes of a document a query may look at, by the estimate
	// that is made before it runs, since it cannot be stopped.
	maxVisits = 100e6
)

// jsonPath queries a document by JSONPath (RFC 9535).
func (t *Toolset) jsonPath(doc any, in jsonInput) (string, error) {
	if in.Query == "" || len(in.Query) > maxQuery {
		return "", arg.Invalid("query", fmt.Sprintf("%d bytes", len(in.Query)), fmt.Sprintf("1 to %d", maxQuery))
	}
	if depthOf(in.Query)+strings.Count(in.Query, "(") > 50 {
		return "", arg.Invalid("query", "one that is nested too deep", "at most 50 levels")
	}
	path, err := jsonpath.Parse(in.Query)
	if err != nil {
		return "", arg.Invalid("query", fmt.Sprintf("%.100q, which is no JSONPath (%v)", in.Query, err),
			"one such as $.store.book[?@.price < 10].title")
	}
	if visits(path.Query().Segments(), len(in.JSON), depthOf(string(in.JSON))) > maxVisits {
		return "", arg.Invalid("query", "one that takes too long on this document",
			"fewer \"..\", filters within filters and selectors in one bracket")
	}
	nodes := []any(path.Select(doc))
	if nodes == nil {
		nodes = []any{}
	}
	// A value that is selected many times could be written many times.
	size := 0
	for _, n := range nodes {
		if size += roughSize(n, t.options.MaxOutput); size > 2*t.options.MaxOutput {
			return "", t.tooLong("more")
		}
	}
	return arg.JSON(nodes)
}

// visits estimates from above how many bytes of a document a query looks at. No node
// is selected more often than the product of the selectors of each segment, and, for
// "..", of the document's depth, as it is found from each of those above it.
func visits(segments []*spec.Segment, size, depth int) float64 {
	total, often := 0.0, 1.0
	for _, s := range segments {
		if s.IsDescendant() {
			often *= float64(depth + 1)
		}
		often *= float64(len(s.Selectors()))
		work := often * float64(size)
		for _, sel := range s.Selectors() {
			if f, ok := sel.(*spec.FilterSelector); ok {
				work += often * filterVisits(f.String(), size, depth)
			}
		}
		total += work
	}
	return total
}

// filterVisits does the same for a filter, by its text. What begins at @ looks at the parts
// of the document below each node, together its size for each level; what begins
// at $ at all of it for each node, of which there are at most as many as bytes.
func filterVisits(text string, size, depth int) float64 {
	text = withoutStrings(text)
	work := float64(size) * float64(depth+1)
	if strings.Contains(text, "$") {
		work = float64(size) * float64(size)
	}
	for range strings.Count(text, "..") {
		work *= float64(depth + 1)
	}
	for range strings.Count(text, ",") {
		work *= 2 // n selectors in a bracket are n times as much, which is at most 2^(n-1)
	}
	for range strings.Count(text, "?") - 1 {
		work *= float64(depth+1) * 4 // a filter in a filter
	}
	return work
}

// withoutStrings leaves the quoted strings out.
func withoutStrings(text string) string {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// roughSize is about how many bytes a value has as JSON; it stops counting at a limit.
func roughSize(v any, limit int) int {
	size := 2
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			if size += len(k) + 4 + roughSize(member, limit-size); size > limit {
				return size
			}
		}
	case []any:
		for _, e := range v {
			if size += 1 + roughSize(e, limit-size); size > limit {
				return size
			}
		}
	case string:
		size += len(v)
	case fmt.Stringer:
		size += len(v.String())
	}
	return size
}
