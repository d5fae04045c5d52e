// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// commandText is a command that prints its version as toolscope does.
const commandText = `package main

import (
	"fmt"
	"runtime/debug"

	"` + prefix + `"
)

func main() {
	info, _ := debug.ReadBuildInfo()
	fmt.Println("toolscope", info.Main.Version, "(commit", toolscope.Name)
}
`

// tagged makes a repository with a command, released and tagged as v0.1.0.
func tagged(t *testing.T) string {
	t.Helper()
	root := repository(t)
	write(t, filepath.Join(root, "modules.txt"), "version v0.1.0\nreleased .\nreleased cmd/toolscope\n")
	write(t, filepath.Join(root, "core.go"), "package toolscope\n\nconst Name = \"core\"\n")
	write(t, filepath.Join(root, "README.md"), "text\n")
	write(t, filepath.Join(root, "cmd/toolscope/go.mod"),
		"module "+prefix+"/cmd/toolscope\n\ngo 1.26.0\n\nrequire "+prefix+" v0.1.0\n")
	write(t, filepath.Join(root, "cmd/toolscope/go.sum"), "")
	write(t, filepath.Join(root, "cmd/toolscope/main.go"), commandText)
	write(t, filepath.Join(root, ".gitignore"), "/dist/\n")
	commit(t, root)
	for _, setting := range [][2]string{{"user.name", "test"}, {"user.email", "test@example.com"}} {
		if _, err := output(root, "git", "config", setting[0], setting[1]); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, root)
	if err := l.writeChangelog("v0.1.0", time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	tags, err := l.commitAndTag("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	pointing, err := output(root, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if want := "v0.1.0 cmd/toolscope/v0.1.0"; strings.Join(tags, " ") != want || len(strings.Fields(pointing)) != 2 {
		t.Fatalf("got tags %q and %q at the commit, want %s", tags, pointing, want)
	}
	return root
}

var host = []target{{runtime.GOOS, runtime.GOARCH}}

// TestTwoDistributionsAreTheSame: of one commit, whatever the working tree holds by then.
func TestTwoDistributionsAreTheSame(t *testing.T) {
	root := tagged(t)
	var sums []string
	for i := range 2 {
		d, err := open(t, root).dist("v0.1.0", host)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(d.dir, "checksums.txt"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(text))
		if i == 0 {
			write(t, filepath.Join(root, "core.go"), "package toolscope\n\nconst Name = \"changed\"\n")
		}
	}
	if sums[0] != sums[1] || strings.Count(sums[0], "\n") != 4 {
		t.Errorf("got\n%s\nand\n%s\nwant the same sums of archive, bill, Dockerfile and formula", sums[0], sums[1])
	}
	if status, err := output(root, "git", "status", "--porcelain"); err != nil || status != " M core.go\n" {
		t.Errorf("got %q and %v, want only this test's change", status, err)
	}
}

func TestDistributionRefersToItsFiles(t *testing.T) {
	root := tagged(t)
	d, err := open(t, root).dist("v0.1.0", host)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(d.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	archive := d.archive(host[0])
	sum, _, found := strings.Cut(read("checksums.txt"), "  "+archive)
	sum = sum[strings.LastIndex(sum, "\n")+1:]
	if !found || len(sum) != 64 {
		t.Fatalf("got %s, want a checksum of %s", read("checksums.txt"), archive)
	}
	formula := d.formula(map[string]string{d.archive(target{"linux", "arm64"}): "0123"})
	if !strings.Contains(formula, "toolscope_v0.1.0_linux_arm64.tar.gz\"\n      sha256 \"0123\"") {
		t.Errorf("got formula\n%s\nwant the archive with its checksum", formula)
	}
	for _, text := range []string{formula, read("Dockerfile")} {
		if left := regexp.MustCompile(`@[A-Z]\w*[^@\n]*@`).FindString(text); left != "" {
			t.Errorf("got %s unfilled in\n%s", left, text)
		}
	}
	if want := "ADD toolscope_v0.1.0_linux_${TARGETARCH}.tar.gz"; !strings.Contains(read("Dockerfile"), want) {
		t.Errorf("got %s, want %s", read("Dockerfile"), want)
	}
	var bill struct {
		Metadata   struct{ Component component }
		Components []component
	}
	name := "toolscope_v0.1.0_" + host[0].String() + ".cdx.json"
	if err := json.Unmarshal([]byte(read(name)), &bill); err != nil {
		t.Fatal(err)
	}
	if c := bill.Metadata.Component; c.PURL != "pkg:golang/"+prefix+"/cmd/toolscope@v0.1.0" {
		t.Errorf("got %+v, want the command", c)
	}
	if c := bill.Components; len(c) != 2 || c[0].Name != "std" || c[1].Name != prefix || c[1].Version != "v0.1.0" ||
		len(c[1].Hashes) != 1 {
		t.Errorf("got %+v, want std and the core with its checksum", c)
	}
}

func TestDistNeedsTheTag(t *testing.T) {
	root := tagged(t)
	if _, err := open(t, root).dist("v0.2.0", host); err == nil || !strings.Contains(err.Error(), "tag cmd/toolscope/v0.2.0") {
		t.Errorf("got %v, want an error that names the tag", err)
	}
	if _, err := output(root, "git", "tag", "cmd/toolscope/v0.2.0"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, root).dist("v0.2.0", host); err == nil || !strings.Contains(err.Error(), "has version v0.1.0") {
		t.Errorf("got %v, want an error that names the version of modules.txt", err)
	}
}

func TestArchivesAreReproducible(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "text\n")
	modified := time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC)
	content := []archived{{"toolscope.exe", file, 0o755}}
	for _, system := range []target{{"windows", "arm64"}, {"linux", "amd64"}} {
		var archives [2]bytes.Buffer
		for i := range archives {
			later := time.Now().Add(time.Duration(i) * time.Hour)
			if err := os.Chtimes(file, later, later); err != nil {
				t.Fatal(err)
			}
			if err := writeArchive(&archives[i], system, content, modified); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(archives[0].Bytes(), archives[1].Bytes()) {
			t.Errorf("%s: got two archives, want the same", system)
		}
		if system.os != "windows" {
			continue
		}
		r, err := zip.NewReader(bytes.NewReader(archives[0].Bytes()), int64(archives[0].Len()))
		if err != nil || len(r.File) != 1 || r.File[0].Mode() != 0o755 || !r.File[0].Modified.Equal(modified) {
			t.Errorf("got %v and error %v, want the program, which can be run", r, err)
		}
	}
}
