// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/toolscope/toolscope/internal/announce"
	"github.com/toolscope/toolscope/internal/display"
)

// sources are the programs to ask: those that the command line names, else those
// found running, which may be others each time.
func (o *statsOptions) sources(token string) ([]*source, error) {
	var list []*source
	for _, u := range o.urls {
		s, err := newSource(u, token, o)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if len(o.urls) > 0 {
		return list, nil
	}
	programs, wrong := running()
	for _, p := range programs {
		s, err := newSource(p.URL, token, o)
		if err != nil {
			return nil, err
		}
		if p.Title != "" {
			s.name = p.Title + " " + s.name
		}
		list = append(list, s)
	}
	if list != nil {
		return list, nil
	}
	s, err := newSource(defaultURL, token, o)
	if err != nil {
		return nil, err
	}
	s.hint = "; no program has announced itself, so name its URL"
	if wrong != nil {
		s.hint = "; " + wrong.Error()
	}
	return []*source{s}, nil
}

// running are the programs that have announced themselves and still listen.
func running() ([]announce.Program, error) {
	programs, err := announce.List()
	if err != nil {
		return nil, err
	}
	var found []announce.Program
	for _, p := range programs {
		if refused(p.URL) { // gone, though its process id is in use
			p.Remove()
			continue
		}
		found = append(found, p)
	}
	return found, nil
}

// refused reports whether nobody listens at a URL's address.
func refused(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	c, err := net.DialTimeout("tcp", u.Host, time.Second)
	if err != nil {
		return errors.Is(err, syscall.ECONNREFUSED)
	}
	_ = c.Close()
	return false
}

// listPrograms is --list.
func listPrograms(stdout, stderr io.Writer) int {
	programs, err := running()
	if err != nil {
		fmt.Fprintf(stderr, "toolscope stats: %v\n", err)
		return exitError
	}
	if len(programs) == 0 {
		fmt.Fprintln(stderr, "toolscope stats: no program of yours on this machine has announced itself")
		return exitOK
	}
	t := &table{titles: []string{"<URL", "<TITLE", "PID", "<SINCE"}, spare: []int{3, 2}}
	for _, p := range programs {
		t.add(cell{text: display.Clip(p.URL, 100)}, cell{text: display.Clip(p.Title, 40)}, cell{text: strconv.Itoa(p.PID)}, cell{text: p.Started.Local().Format(time.DateTime)})
	}
	var b strings.Builder
	t.print(&b, paintFor(stdout))
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return exitError
	}
	return exitOK
}
