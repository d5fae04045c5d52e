// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Failed is how many checks failed.
func Failed(checks []Check) (n int) {
	for _, c := range checks {
		if len(c.Failures) > 0 {
			n++
		}
	}
	return n
}

// WriteText writes what failed for a person.
func WriteText(w io.Writer, checks []Check) error {
	var b strings.Builder
	for _, c := range checks {
		for _, f := range c.Failures {
			fmt.Fprintf(&b, "FAIL  %s: %s\n", c.Rule, f.Message)
		}
	}
	fmt.Fprintf(&b, "%d of %d checks passed\n", len(checks)-Failed(checks), len(checks))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJUnit writes the checks as JUnit's XML, a test case each.
func WriteJUnit(w io.Writer, file string, checks []Check) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *failure `xml:"failure,omitempty"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	s := suite{Name: "toolscope check " + file, Tests: len(checks), Failures: Failed(checks)}
	for _, c := range checks {
		t := testCase{Class: "toolscope.check", Name: c.Rule}
		if len(c.Failures) > 0 {
			var all []string
			for _, f := range c.Failures {
				all = append(all, f.Message)
			}
			t.Failure = &failure{all[0], strings.Join(all, "\n")}
		}
		s.Cases = append(s.Cases, t)
	}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	return err
}

// WriteSARIF writes what failed as SARIF 2.1.0, with the line of each call in the file.
func WriteSARIF(w io.Writer, file, version string, checks []Check) error {
	type object = map[string]any
	rules, results := []object{}, []object{}
	for _, c := range checks {
		rules = append(rules, object{"id": c.Rule, "shortDescription": object{"text": "the expectation " + c.Rule}})
		for _, f := range c.Failures {
			results = append(results, object{
				"ruleId": c.Rule, "ruleIndex": len(rules) - 1, "level": "error", "message": object{"text": f.Message},
				"locations": []object{{"physicalLocation": object{
					"artifactLocation": object{"uri": filepath.ToSlash(file)}, "region": object{"startLine": max(1, f.Line)},
				}}},
			})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool": object{"driver": object{
				"name": "toolscope check", "version": version, "informationUri": "https://github.com/toolscope/toolscope", "rules": rules,
			}},
			"results": results,
		}},
	})
}
