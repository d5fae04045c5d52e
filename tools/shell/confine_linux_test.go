// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/tools/shell"
)

// TestConfined checks what a confined command reaches, with and without a namespace.
func TestConfined(t *testing.T) {
	dir, outside, shared := t.TempDir(), t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("not for agents"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for name, o := range map[string]shell.Options{"plain": {}, "namespace": {PIDNamespace: true}} {
		t.Run(name, func(t *testing.T) {
			o.Dir, o.Confine = dir, &shell.Confinement{Write: []string{shared}}
			o.Shell = "bash" // for /dev/tcp
			tool, err := shell.New(o)
			if err != nil {
				t.Skip("this machine cannot confine: ", err)
			}
			for command, want := range map[string]string{
				"echo err > /dev/stderr; echo one > a.txt && cat a.txt && rm a.txt":     "one",
				"ls /usr | head -1 && echo fine > /dev/null && echo read":               "read",
				"echo shared > " + shared + "/x && cat " + shared + "/x":                "shared",
				"cat " + secret + " || echo refused":                                    "refused",
				"cat link || echo refused":                                              "refused",
				"echo x > " + outside + "/new || echo refused":                          "refused",
				"rm " + secret + " || echo refused":                                     "refused",
				"ln " + secret + " hard || echo refused":                                "refused",
				"cat <(echo read)":                                                      "read",
				"(cat " + secret + " & wait $!) || echo refused":                        "refused",
				"exec 3<>/dev/tcp/127.0.0.1/" + port + " || echo refused":               "refused",
				"cat /proc/" + strconv.Itoa(os.Getpid()) + "/environ || echo refused":   "refused",
				"kill -0 " + strconv.Itoa(os.Getpid()) + " 2>/dev/null || echo refused": "refused",
			} {
				if out, err := run(t.Context(), tool, command); err != nil || !strings.Contains(out, "stdout:\n") ||
					!strings.Contains(out, want) || strings.Contains(out, "not for agents") {
					t.Errorf("%s: got %q and %v, want %s", command, out, err, want)
				}
			}
		})
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}

func TestConfinementOptions(t *testing.T) {
	_, err := shell.New(shell.Options{Confine: &shell.Confinement{Read: []string{"relative"}}})
	if err == nil || !strings.Contains(err.Error(), "Options.Confine") {
		t.Errorf("got %v, want an error that names Options.Confine", err)
	}
}
