// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"fmt"
	"strings"
	"sync"
)

// clipped keeps the beginning and the end of what is written to it. A writer
// and a reader may use it at once.
type clipped struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring's next byte goes
	total int64

	headMax, tailMax int
}

func newClipped(limit int) *clipped {
	return &clipped{headMax: limit - limit/2, tailMax: limit / 2}
}

// Write never fails.
func (c *clipped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := min(c.headMax-len(c.head), len(p)); room > 0 {
		c.head = append(c.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > c.tailMax {
		p = p[len(p)-c.tailMax:]
	}
	if room := min(c.tailMax-len(c.tail), len(p)); room > 0 {
		c.tail = append(c.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		p = p[k:]
		c.next = (c.next + k) % len(c.tail)
	}
	return n, nil
}

// text is what was kept, valid UTF-8, with a line that tells what was left out.
func (c *clipped) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := string(c.tail[c.next:]) + string(c.tail[:c.next])
	omitted := c.total - int64(len(c.head)+len(c.tail))
	if omitted <= 0 {
		return strings.ToValidUTF8(string(c.head)+tail, "\uFFFD")
	}
	return fmt.Sprintf("%s\n[%d of %d bytes left out]\n%s",
		strings.ToValidUTF8(string(c.head), ""), omitted, c.total, strings.ToValidUTF8(tail, ""))
}

// section writes a heading and the text; nothing if nothing was printed.
func (c *clipped) section(b *strings.Builder, name string) {
	text := c.text()
	if text == "" {
		return
	}
	b.WriteString(name + ":\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}
