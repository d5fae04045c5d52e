// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"strings"
	"testing"
)

func TestShownCommand(t *testing.T) {
	const secret = "hunter2zz"
	for command, want := range map[string]string{
		"npx -y server /tmp":                             "npx -y server /tmp",
		"docker run -i -e NAME image":                    "docker run -i -e NAME image",
		"x --api-key " + secret + " --log":               "x --api-key [REDACTED] --log",
		"x --token=" + secret:                            "x --token=[REDACTED]",
		"x -e PLAIN=" + secret + " image":                "x -e PLAIN=[REDACTED] image",
		"x --env=A=" + secret:                            "x --env=[REDACTED]",
		"x -p " + secret:                                 "x -p [REDACTED]",
		"x PGPASSWORD=" + secret:                         "x PGPASSWORD=[REDACTED]",
		"x postgres://u:" + secret + "@h/db?a=" + secret: "x postgres://h/db?…",
		"x --url=https://h/p?k=" + secret:                "x --url=https://h/p?…",
		"x --password -" + secret:                        "x --password [REDACTED]",
	} {
		if got := shownCommand(strings.Fields(command)); got != want {
			t.Errorf("%s: got %s, want %s", command, got, want)
		}
	}
	for _, words := range [][]string{
		{"x", "--header", "X-Key: " + secret}, {"x", "-H", "Authorization: Bearer " + secret}, {"x", "--header=X-Key: " + secret},
		{"x", "--client-secret", secret}, {"sh", "-c", "API_KEY=" + secret + " server"},
	} {
		if got := shownCommand(words); strings.Contains(got, secret) {
			t.Errorf("%q: got %s", words, got)
		}
	}
	for address, want := range map[string]string{
		"https://u:" + secret + "@h/mcp?key=" + secret + "#" + secret: "https://h/mcp?…", "https://h/mcp": "https://h/mcp",
		"%zz" + secret: "[REDACTED]", "http://[::1": "[REDACTED]",
	} {
		if got := shownURL(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
