// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// carrierSet has the templates of testdata/carriers: the forms that bind a name to its value, by class.
var carrierSet = func() *reviewSet {
	set := *freshSets["held"]
	set.dir, set.valid = "testdata/carriers/", nil
	return &set
}()

// TestCarriers wants most of the secrets and personal data found in each of the forms, and nearly no harmless text
// changed. With -v it prints the forms of which a value stays.
func TestCarriers(t *testing.T) {
	for file, want := range map[string]float64{"labelled.txt": 93, "more.txt": 88, "tables.txt": 86} {
		r := &review{maker: maker{rand.New(rand.NewPCG(freshSeed, 51))}, reviewSet: carrierSet}
		sections, lines := carrierSet.file(t, file, 2)
		sum, missed := new(reviewTally), ""
		for _, section := range sections {
			for _, line := range lines[section] {
				c := new(reviewTally)
				for range 6 {
					r.begin()
					r.write(line)
					r.judge(Default(), c, func(string, string) {})
				}
				if c.found < c.of {
					missed += fmt.Sprintf("\n%d of %d: %s", c.of-c.found, c.of, line)
				}
				sum.of, sum.found = sum.of+c.of, sum.found+c.found
			}
		}
		t.Logf("%s: %.1f %% found%s", file, percent(sum.found, sum.of), missed)
		if got := percent(sum.found, sum.of); got < want {
			t.Errorf("%s: found %.1f %%, want %.0f", file, got, want)
		}
	}
}

// TestPersonalCarriers does the same for personal data.
func TestPersonalCarriers(t *testing.T) {
	r := &review{maker: maker{rand.New(rand.NewPCG(freshSeed, 52))}, reviewSet: carrierSet}
	_, lines := carrierSet.file(t, "personal.txt", 2)
	sum, missed := new(reviewTally), ""
	for _, carrier := range lines["carriers"] {
		c := new(reviewTally)
		for _, line := range lines[""] {
			for range 2 {
				r.begin()
				r.reviewPersonal(line, carrier, 2)
				r.judge(Default(), c, func(string, string) {})
			}
		}
		if c.found < c.of {
			missed += fmt.Sprintf("\n%d of %d: %s", c.of-c.found, c.of, carrier)
		}
		sum.of, sum.found = sum.of+c.of, sum.found+c.found
	}
	got := percent(sum.found, sum.of)
	t.Logf("%.1f %% found%s", got, missed)
	if got < 93 {
		t.Errorf("found %.1f %%, want 93", got)
	}
}

func TestHarmlessCarriers(t *testing.T) {
	r := &review{maker: maker{rand.New(rand.NewPCG(freshSeed, 53))}, reviewSet: carrierSet}
	sections, lines := carrierSet.file(t, "harmless.txt", 2)
	texts, harmed := 0, 0
	for _, section := range sections {
		for _, line := range lines[section] {
			for range 2 {
				r.begin()
				r.write(line)
				texts++
				if out, _ := Default().Text(r.text.String()); strings.Contains(out, "[REDACTED:") {
					harmed++
					t.Logf("%q became %q", r.text.String(), out)
				}
			}
		}
	}
	if share := percent(harmed, texts); share > 1.5 {
		t.Errorf("%.1f %% of %d harmless texts are harmed, want 1.5 at most", share, texts)
	}
}

func TestLabelsInCapitals(t *testing.T) {
	for _, text := range []string{"ИНН: 123456789", "СНИЛС: 112-233-445 95", "ФИО: Иванов Иван Петрович", "ΑΦΜ: 123456789",
		"DIČ: CZ12345678", "ПАРОЛЬ: " + firstReview.words[0] + "1968!"} {
		if out, _ := Default().Text(text); !strings.Contains(out, "[REDACTED:") {
			t.Errorf("%s: nothing is removed", text)
		}
	}
}
