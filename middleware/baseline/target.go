// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what is read of a call's arguments.
const (
	maxCallTargets = 16
	maxTarget      = 4096 // bytes: longer values are texts, unless Options.Targets names them
)

// A target is a host, a directory or another value that a call is about.
type target struct {
	id   uint64
	text string // for a person
}

// targets are those of a call, each once. Arguments that are no JSON, and targets beyond the 16th, are one more
// target each, so that they do not hide another.
func targets(arguments []byte, names []string, workDir string) (found []string) {
	add := func(text string) {
		if slices.Contains(found, text) {
			return
		}
		switch {
		case text == "":
		case len(found) < maxCallTargets:
			found = append(found, text)
		case len(found) == maxCallTargets:
			found = append(found, "more than 16 targets")
		}
	}
	if len(arguments) == 0 {
		return nil
	}
	err := walk(arguments, func(key, value string) {
		if names == nil {
			add(targetOf(value, workDir))
			return
		}
		for _, n := range names {
			if strings.EqualFold(n, key) { // as decoders of Go take it
				add(value)
			}
		}
	})
	if err != nil {
		add("arguments that are no JSON")
	}
	return found
}

// walk calls visit for each text and each number, with the outermost name that it is under.
func walk(text []byte, visit func(key, value string)) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	key := ""
	for {
		kind := d.PeekKind()
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		depth := d.StackDepth()
		within, n := d.StackIndex(depth)
		switch name := within == '{' && n%2 == 1; {
		case kind == '"' && name:
			if depth == 1 {
				key = token.String()
			}
		case kind == '"' || kind == '0':
			visit(key, token.String())
		}
		if depth == 0 {
			return nil
		}
	}
}

// targetOf is the target that the form of a value shows; "" if it has none.
func targetOf(v, workDir string) string {
	if v == "" || len(v) > maxTarget || strings.ContainsAny(v, "\n\r") {
		return ""
	}
	if scheme, _, ok := strings.Cut(v, "://"); ok && scheme != "" && !strings.ContainsAny(scheme, " /") {
		u, err := url.Parse(v)
		if err != nil {
			return "a URL that cannot be read"
		}
		if u.Host != "" {
			return strings.ToLower(u.Scheme + "://" + u.Host)
		}
		v = u.Path
	}
	blank := strings.ContainsAny(v, " \t")
	if local, domain, ok := strings.Cut(v, "@"); ok && !blank && local != "" && !strings.ContainsAny(domain, "@/") &&
		strings.Contains(domain, ".") {
		return "@" + strings.ToLower(domain)
	}
	return directory(v, blank, workDir)
}

// directory is that of a path; "" if the value is none. One with blanks is a path if it begins like one.
func directory(v string, blank bool, workDir string) string {
	v = strings.ReplaceAll(v, `\`, "/")
	absolute := strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~/") || len(v) > 2 && v[1] == ':' && v[2] == '/'
	if !strings.Contains(v, "/") || blank && !absolute && !strings.HasPrefix(v, "./") && !strings.HasPrefix(v, "../") {
		return ""
	}
	file := !strings.HasSuffix(v, "/")
	if workDir != "" && !absolute {
		v = path.Join(strings.ReplaceAll(workDir, `\`, "/"), v)
	}
	if v = path.Clean(v); file {
		v = path.Dir(v)
	}
	return v
}
