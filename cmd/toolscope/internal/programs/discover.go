// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"errors"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/toolscope/toolscope/internal/announce"
)

// Sources returns the programs to ask: those that are named, else those found running, which may be others
// each time.
func (o *Options) Sources(token string) (list []*Source, err error) {
	add := func(url, title string) {
		var s *Source
		if s, err = NewSource(url, token, o.Timeout); err != nil {
			return
		}
		if title != "" {
			s.Name = title + " " + s.Name
		}
		list = append(list, s)
	}
	for _, u := range o.URLs {
		add(u, "")
	}
	if len(o.URLs) > 0 || err != nil {
		return list, err
	}
	found, wrong := Running()
	for _, p := range found {
		add(p.URL, p.Title)
	}
	if len(list) > 0 || err != nil {
		return list, err
	}
	if add(DefaultURL, ""); err != nil {
		return nil, err
	}
	list[0].hint = "; no program has announced itself, so name its URL"
	if wrong != nil {
		list[0].hint = "; " + wrong.Error()
	}
	return list, nil
}

// Running returns the programs that have announced themselves and still listen.
func Running() ([]announce.Program, error) {
	programs, err := announce.List()
	if err != nil {
		return nil, err
	}
	var found []announce.Program
	for _, p := range programs {
		if refused(p.URL) { // it has ended, though its process id is in use
			p.Remove()
			continue
		}
		found = append(found, p)
	}
	return found, nil
}

// refused reports whether no program listens at a URL's address.
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
