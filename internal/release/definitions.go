// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"regexp"
	"strings"
)

// What a distribution's definitions are made of: @VERSION@ stands for the version, @NUMBER@ for that
// without its v, and @FILE linux_amd64@ and @SUM linux_amd64@ for an archive.
var (
	//go:embed templates/Dockerfile
	dockerfileText string
	//go:embed templates/toolscope.rb
	formulaText string
)

func (d *distribution) dockerfile() string { return d.fill(dockerfileText, nil) }

func (d *distribution) formula(sums map[string]string) string { return d.fill(formulaText, sums) }

func (d *distribution) fill(text string, sums map[string]string) string {
	text = strings.NewReplacer("@VERSION@", d.version, "@NUMBER@", strings.TrimPrefix(d.version, "v")).Replace(text)
	return regexp.MustCompile(`@(FILE|SUM) (\w+)_(\w+)@`).ReplaceAllStringFunc(text, func(found string) string {
		fields := strings.FieldsFunc(found, func(r rune) bool { return r == '@' || r == ' ' || r == '_' })
		name := d.archive(target{fields[1], fields[2]})
		if fields[0] == "SUM" {
			return sums[name]
		}
		return name
	})
}
