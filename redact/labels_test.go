// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	_ "embed"
	"os"
	"strings"
	"testing"
)

// systemLabels are labels of personal data as databases, forms, HL7, SAP and public authorities name them, in 16
// languages: language, kind, label and value. They were written and frozen before the labels were composed of words.
//
//go:embed testdata/labels.txt
var systemLabels string

// labelCarriers are what the labels are written in.
var labelCarriers = [...]string{`{"id":7,"$L":"$V"}`, "Record 7\n$L: $V\n",
	"| id | $L |\n|---|---|\n| 7 | $V |\n", "id;$L\n7;\"$V\"\n"}

// TestEvidentIDs finds the examples of numbers that need no label, and not those with another check digit.
func TestEvidentIDs(t *testing.T) {
	for _, c := range []struct{ value, wrong string }{{"529.982.247-25", "529.982.247-26"},
		{"2 55 08 14 168 025 38", "2 55 08 14 168 025 39"}, {"756.9217.0769.85", "756.9217.0769.86"},
		{"85.07.30-033.28", "85.07.30-033.29"}, {"RSSMRA85T10A562S", "RSSMRA85T10A562T"},
		{"HEGG560427MVZRRL04", "HEGG560427MVZRRL05"}} {
		if out, _ := Default().Text("file " + c.value + " closed"); out != "file [REDACTED:national-id] closed" {
			t.Errorf("%s: got %q", c.value, out)
		}
		if out, _ := Default().Text("file " + c.wrong + " closed"); out != "file "+c.wrong+" closed" {
			t.Errorf("%s: got %q", c.wrong, out)
		}
	}
}

// TestSystemLabels counts how many values are found by their labels.
func TestSystemLabels(t *testing.T) {
	found, all, kinds := 0, 0, make(map[string][2]int)
	for _, line := range strings.Split(strings.TrimSpace(systemLabels), "\n") {
		f := strings.Split(line, "|")
		for _, carrier := range labelCarriers {
			text := strings.NewReplacer("$L", f[2], "$V", f[3]).Replace(carrier)
			out, _ := Default().Text(text)
			n := kinds[f[1]]
			all++
			n[1]++
			if !strings.Contains(out, f[3]) {
				found++
				n[0]++
			} else if os.Getenv("TOOLSCOPE_REDACT_SHOW") != "" {
				t.Logf("%s %s: %q became %q", f[0], f[1], text, out)
			}
			kinds[f[1]] = n
		}
	}
	if share := percent(found, all); share < 87 {
		t.Errorf("%d of %d values are found, %.1f %%: %v", found, all, share, kinds)
	} else {
		t.Logf("%d of %d values are found, %.1f %%: %v", found, all, share, kinds)
	}
}
