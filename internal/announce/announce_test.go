// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package announce

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// inDirectory gives the test a directory of its own.
func inDirectory(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir, err := directory()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func list(t *testing.T) []string {
	t.Helper()
	programs, err := List()
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, p := range programs {
		urls = append(urls, p.URL)
	}
	return urls
}

func TestAnnouncedProgramsAreListed(t *testing.T) {
	dir := inDirectory(t)
	withdraw, err := Announce("http://127.0.0.1:9464", "my agent")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := List()
	if err != nil || len(programs) != 1 {
		t.Fatalf("got %v, %v, want one program", programs, err)
	}
	if p := programs[0]; p.URL != "http://127.0.0.1:9464/" || p.Title != "my agent" || p.PID != os.Getpid() || p.Started.IsZero() {
		t.Errorf("got %+v", p)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(programs[0].file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v, %v, want mode 0600", info, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("got %v, %v, want mode 0700", info, err)
		}
	}
	withdraw()
	withdraw()
	if got := list(t); got != nil {
		t.Errorf("withdrawn: got %q, want none", got)
	}
}

func TestNothingAnnouncedIsNoError(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if programs, err := List(); programs != nil || err != nil {
		t.Errorf("got %v, %v, want nothing", programs, err)
	}
}

func TestOnlyThisMachineIsAnnounced(t *testing.T) {
	inDirectory(t)
	for address, want := range map[string]string{
		"http://localhost:1/x":            "http://localhost:1/x/",
		"https://[::1]:9/":                "https://[::1]:9/",
		"http://[::]:80/a/":               "http://127.0.0.1:80/a/",
		"http://0.0.0.0:80":               "http://127.0.0.1:80/",
		"http://example.com:80/":          "",
		"http://10.0.0.1:80/":             "",
		"http://localhost.example.com:8/": "",
		"http://127.0.0.1/":               "", // without a port
		"http://u:p@127.0.0.1:1/":         "",
		"http://127.0.0.1:1/?a=b":         "",
		"file:///etc":                     "",
		"":                                "",
		"\x00":                            "",
	} {
		withdraw, err := Announce(address, "")
		if (err == nil) != (want != "") {
			t.Errorf("%q: got error %v", address, err)
		}
		if err != nil {
			continue
		}
		if got := list(t); len(got) != 1 || got[0] != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
		withdraw()
	}
	if _, err := Announce("http://127.0.0.1:1/", strings.Repeat("x", 81)); err == nil {
		t.Error("a title of 81 bytes: got no error")
	}
}

// What is in the directory is not trusted: files that lead elsewhere, are no
// announcements, or are of other hosts, are passed over; those of programs that are
// gone are removed.
func TestStrangeFilesArePassedOver(t *testing.T) {
	dir := inDirectory(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := func(url string, pid int, host string) string {
		return fmt.Sprintf(`{"url":%q,"pid":%d,"host":%q}`, url, pid, host)
	}
	file("1.json", program("http://evil.example:80/", os.Getpid(), host))
	file("2.json", "no JSON")
	file("3.json", strings.Repeat(" ", maxFile+1))
	file("4.json", program("http://127.0.0.1:1/", gone(t), host))
	file("5.json", program("http://127.0.0.1:2/", os.Getpid(), "another-"+host))
	file("6.json", program("http://127.0.0.1:3/", os.Getpid(), host))
	file("7.json.new", program("http://127.0.0.1:4/", os.Getpid(), host))
	if err := os.Mkdir(filepath.Join(dir, "8.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := list(t); len(got) != 1 || got[0] != "http://127.0.0.1:3/" {
		t.Errorf("got %q, want the sixth file's only", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "4.json")); err == nil {
		t.Error("the file of a program that is gone was not removed")
	}
	if _, err := os.Stat(filepath.Join(dir, "5.json")); err != nil {
		t.Error("the file of another host was removed")
	}
	for i := range 2 * maxPrograms {
		file(fmt.Sprint("many", i, ".json"), program("http://127.0.0.1:5/", os.Getpid(), host))
	}
	if got := len(list(t)); got != maxPrograms {
		t.Errorf("got %d programs, want %d", got, maxPrograms)
	}
}

// gone is the number of a process that has ended.
func gone(t *testing.T) int {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(executable, "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestDirectoryOfOthersIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are of another kind on Windows")
	}
	dir := inDirectory(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Announce("http://127.0.0.1:1/", ""); err == nil {
		t.Error("Announce: got no error")
	}
	if _, err := List(); err == nil {
		t.Error("List: got no error")
	}
}
