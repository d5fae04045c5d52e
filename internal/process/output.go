// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"strings"
	"sync"
)

// Output keeps the beginning and the end of what is written to it. A writer and a
// reader may use it at once.
type Output struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring's next byte goes
	total int64

	headMax, tailMax int
}

// NewOutput makes an output that keeps limit bytes, half of them from the beginning.
func NewOutput(limit int) *Output {
	return &Output{headMax: limit - limit/2, tailMax: limit / 2}
}

// Write never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	o.total += int64(n)
	if room := min(o.headMax-len(o.head), len(p)); room > 0 {
		o.head = append(o.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > o.tailMax {
		p = p[len(p)-o.tailMax:]
	}
	if room := min(o.tailMax-len(o.tail), len(p)); room > 0 {
		o.tail = append(o.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		k := copy(o.tail[o.next:], p)
		p = p[k:]
		o.next = (o.next + k) % len(o.tail)
	}
	return n, nil
}

// Text is what was kept, valid UTF-8, with a line that tells what was left out.
func (o *Output) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail := string(o.tail[o.next:]) + string(o.tail[:o.next])
	omitted := o.total - int64(len(o.head)+len(o.tail))
	if omitted <= 0 {
		return strings.ToValidUTF8(string(o.head)+tail, "\uFFFD")
	}
	return fmt.Sprintf("%s\n[%d of %d bytes left out]\n%s",
		strings.ToValidUTF8(string(o.head), ""), omitted, o.total, strings.ToValidUTF8(tail, ""))
}

// Section writes a heading and the text; nothing if nothing was printed.
func (o *Output) Section(b *strings.Builder, name string) {
	text := o.Text()
	if text == "" {
		return
	}
	b.WriteString(name + ":\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}
