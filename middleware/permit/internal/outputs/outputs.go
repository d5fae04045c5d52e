// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package outputs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// An output lists the options that say which files a program writes.
type output struct {
	options string // those with a file as value: "-o --output"; long ones may be cut short
	flags   string // letters without a value, which may stand before one of the options in a cluster
	names   string // options without a value that write a file named by something else
	whole   bool   // options are whole words behind one dash, as Go's are
}

var outputs = map[string]*output{
	"curl": {
		options: "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --hsts " +
			"--alt-svc --etag-save --output-dir",
		flags: "012346afgGiIjJklLMnNpqRsSvZ#", names: "-O --remote-name --remote-name-all",
	},
	"wget": {
		options: "-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies " +
			"--warc-file --rejected-log --hsts-file",
		flags: "46bcdFhHkKLmNnpqrSvVx",
	},
	"sort": {options: "-o --output", flags: "bcCdfghiMmnrRsuVz"}, "shuf": {options: "-o --output", flags: "erz"},
	"iconv": {options: "-o --output", flags: "clsV"}, "tree": {options: "-o", flags: "aAcCdDfFghilnNpqQrRsStuUvxX"},
	"cp":      {options: "-t --target-directory", flags: "abdfHilLnpPrRsTuvxZ"},
	"mv":      {options: "-t --target-directory", flags: "bfinTuvZ"},
	"ln":      {options: "-t --target-directory", flags: "bdFfiLnPrsTv"},
	"install": {options: "-t --target-directory", flags: "bcCdDpsTvZ"},
	"rsync":   {options: "-T --temp-dir --backup-dir --partial-dir --log-file --write-batch --only-write-batch"},
	"patch":   {options: "-o --output -r --reject-file -d --directory", flags: "bcefElnNRstTuvZ"},
	"cpio":    {options: "-D --directory -O -F --file", flags: "0abBcdiklmnoprstuvV"},
	"pax":     {options: "-f", flags: "acdiklnrtuvwXz"},
	"tar":     {options: "-C --directory --index-file"}, "unzip": {options: "-d"},
	"base64": {options: "-o --output", flags: "dDhiw"}, "openssl": {options: "-out -keyout -CAserial", whole: true},
	"xmllint": {options: "-o --output"},
	"less":    {options: "-o -O --log-file --LOG-FILE", flags: "aABcCdeEfFgGiIJKLmMnNqQrRsSuUwWX"},
	"gcc":     {options: "-o"}, "g++": {options: "-o"}, "cc": {options: "-o"}, "c++": {options: "-o"},
	"clang": {options: "-o"}, "clang++": {options: "-o"}, "ld": {options: "-o"}, "as": {options: "-o"},
	"rustc":   {options: "-o --out-dir"},
	"go":      {options: "-o", whole: true},
	"git":     {options: "--output --export-marks"},
	"history": {options: "-a -w"}, "strace": {options: "-o --output", flags: "cCdDfFhiknqrtTvVwxyYZz"},
	"ltrace": {options: "-o --output", flags: "bcCfhiLrStTV"}, "time": {options: "-o --output", flags: "apqv"},
	"tcpdump": {options: "-w", flags: "AbdDefhHIJKlLnNOpqStuUvxX#"}, "tshark": {options: "-w"},
	"dot": {options: "-o"}, "pandoc": {options: "-o --output"}, "gpg": {options: "-o --output"},
	"age":     {options: "-o --output"},
	"pg_dump": {options: "-f --file"}, "pg_dumpall": {options: "-f --file"},
	"mysqldump": {options: "-r --result-file"}, "psql": {options: "-o --output -L --log-file"},
	"mysql": {options: "--tee"}, "nmap": {options: "-oN -oX -oG -oS -oA", whole: true},
	"ssh-keygen": {options: "-f"}, "yt-dlp": {options: "-o --output"}, "aria2c": {options: "-o --out -d --dir"},
	"flex": {options: "-o"}, "bison": {options: "-o"}, "protoc": {options: "-o --descriptor_set_out"},
	"zstd": {options: "-o"},
}

// writing are names of long options that mean a file to be written in every program that has them.
var writing = shell.NameSet(
	"output out outfile out-file output-file output-dir out-dir outdir output-document output-path " +
		"log-file logfile save-to dump-header cookie-jar trace-ascii",
)

// optionOutputs appends the files that the command's options say it writes, and tells the operands if
// they are wanted.
func optionOutputs(c *shell.Command, name string, words []shell.Word, wanted bool) (files, operands []shell.Word) {
	o := outputs[name]
	literal := false
	for i := 1; i < len(c.Words); i++ {
		switch t := c.Words[i].Text; {
		case literal || len(t) < 2 || t[0] != '-':
			if wanted {
				operands = append(operands, c.Words[i])
			}
		case t == "--":
			literal = true
		default:
			file, next := o.file(c.Words, i)
			if next {
				i++
			}
			if file.Text != "-" {
				words = append(words, file)
			}
			if o.named(t) {
				words = append(words, shell.Word{Text: ".", Known: true})
			}
		}
	}
	return words, operands
}

// file is the file that the option at i writes, "-" if there is none; next says that it is the next word.
func (o *output) file(words []shell.Word, i int) (file shell.Word, next bool) {
	value, glued, ok := o.value(words[i].Text)
	sure := ok
	if !ok {
		value, glued, ok = anyValue(words[i].Text)
	}
	switch {
	case ok && glued && (sure || pathLike(value)):
		return shell.Word{Text: value, Known: words[i].Known}, false
	case ok && !glued && i+1 < len(words) && (sure || pathLike(words[i+1].Text)):
		return words[i+1], true
	}
	return shell.Word{Text: "-"}, false
}

// longOption reports whether there is an argument that may be one of writing.
func longOption(c *shell.Command) bool {
	for _, w := range c.Words {
		if strings.HasPrefix(w.Text, "--") {
			return true
		}
	}
	return false
}

// value is the value of an argument that is one of the options; glued says that it stands in the
// same word.
func (o *output) value(t string) (value string, glued, ok bool) {
	if o == nil {
		return "", false, false
	}
	for option := range strings.FieldsSeq(o.options) {
		name, value, has := strings.Cut(t, "=")
		switch {
		case name == option || o.whole && name == "-"+option:
			return value, has, true
		case o.whole:
		case len(option) == 2:
			at := 1
			for at < len(t) && strings.IndexByte(o.flags, t[at]) >= 0 {
				at++
			}
			if at < len(t) && t[1] != '-' && t[at] == option[1] {
				return strings.TrimPrefix(t[at+1:], "="), at+1 < len(t), true
			}
		case strings.HasPrefix(option, "--") && len(name) > 4 && strings.HasPrefix(option, name):
			return value, has, true
		}
	}
	return "", false, false
}

// named reports whether the argument is an option that writes a file named by something else.
func (o *output) named(t string) bool {
	if o == nil {
		return false
	}
	for option := range strings.FieldsSeq(o.names) {
		if t == option || len(option) == 2 && t[1] != '-' && strings.Contains(t, option[1:]) &&
			strings.Trim(t[1:], o.flags+option[1:]) == "" {
			return true
		}
	}
	return false
}

// anyValue is the value of a long option that means a file in every program.
func anyValue(t string) (value string, glued, ok bool) {
	if !strings.HasPrefix(t, "--") {
		return "", false, false
	}
	name, value, has := strings.Cut(t[2:], "=")
	return value, has, writing[name]
}

// pathLike reports whether a value looks like a file and not like the name of a format: out/x,
// report.xml, but not json, jsonpath={.a}, type=local or https://….
func pathLike(t string) bool {
	return strings.ContainsAny(t, "./") && !strings.ContainsAny(t, "={") && !strings.Contains(t, "://")
}
