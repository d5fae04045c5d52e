// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"net/url"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/redact"
)

// removed stands for what is not shown.
const removed = "[REDACTED]"

// shownURL is an address without its user, query and fragment, and without what may be a secret in its path.
func shownURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" && u.Opaque == "" {
		return removed
	}
	shown, _ := redact.Default().Text((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String())
	if u.RawQuery != "" {
		shown += "?…"
	}
	return shown
}

// valueOptions are short options whose values are often passwords, users or keys, and those that set variables and
// headers.
var valueOptions = []string{"-p", "-P", "-u", "-k", "-e", "--env", "-H", "--header"}

// shownCommand is a command without the values of its options that may be secrets.
func shownCommand(words []string) string {
	var shown []string
	hidden := "" // the option whose value is next
	for _, word := range words {
		name, value, assigned := strings.Cut(word, "=")
		switch {
		case hidden != "" && assigned && (hidden == "-e" || hidden == "--env"):
			word = name + "=" + removed
		case hidden != "" && strings.HasPrefix(hidden, "-") && !strings.HasPrefix(word, "--"):
			word = withoutValue(hidden, word)
		case strings.Contains(name, "://"):
			word = shownURL(word)
		case assigned && (secretName(name) || slices.Contains(valueOptions, name)):
			word = name + "=" + removed
		case assigned && strings.Contains(value, "://"):
			word = name + "=" + shownURL(value)
		case assigned:
			word = name + "=" + redact.Default().Named(strings.TrimLeft(name, "-"), value)
		default:
			word, _ = redact.Default().Text(word)
		}
		if hidden = ""; !assigned && (slices.Contains(valueOptions, name) || strings.HasPrefix(name, "-") && secretName(name)) {
			hidden = name
		}
		shown = append(shown, word)
	}
	text, _ := redact.Default().Text(strings.Join(shown, " "))
	return text
}

// withoutValue is what is shown of an option's value: of a header and of a variable the name.
func withoutValue(option, value string) string {
	switch option {
	case "-H", "--header":
		if name, _, ok := strings.Cut(value, ":"); ok {
			return name + ": " + removed
		}
	case "-e", "--env":
		return value // a variable that is passed on
	}
	return removed
}

// secretName reports whether the name of an option or a variable says that its value is a secret.
func secretName(name string) bool {
	return sensitive.Variable(strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_"))
}
