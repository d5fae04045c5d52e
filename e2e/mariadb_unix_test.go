// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

// mariaDB is a MariaDB server of the test's own, which listens on a Unix socket.
type mariaDB struct{ dir string }

// startMariaDB starts a server for the test. Where TOOLSCOPE_E2E is not 1 the test is
// skipped if there is none.
func startMariaDB(t *testing.T) *mariaDB {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin") // where Debian keeps the server
	install, server := program(t, "mariadb-install-db"), program(t, "mariadbd")
	dir, err := os.MkdirTemp("", "maria") // short: the path of a socket has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	var user []string
	if os.Getuid() == 0 {
		user = []string{"--user=root"}
	}
	create := exec.Command(
		install,
		append(
			user,
			"--no-defaults",
			"--datadir="+data,
			"--auth-root-authentication-method=normal",
			"--skip-test-db",
		)...)
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	var log bytes.Buffer
	run := exec.Command(
		server,
		append(
			[]string{
				"--no-defaults",
				"--datadir=" + data,
				"--skip-networking",
				"--socket=" + filepath.Join(dir, "s"),
				"--secure-file-priv=",
			},
			user...)...)
	run.Stderr = &log
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Signal(syscall.SIGKILL) // its data goes anyway
		_ = run.Wait()
		if t.Failed() {
			t.Logf("the server's log:\n%s", &log)
		}
	})
	m := &mariaDB{dir}
	root := m.open(t, "root", "", "")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := root.PingContext(t.Context())
		if err == nil {
			return m
		}
		if time.Now().After(deadline) {
			t.Fatalf("MariaDB does not answer: %v", err)
		}
	}
}

// open opens a database of the server.
func (m *mariaDB) open(t *testing.T, user, database, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", user+"@unix("+filepath.Join(m.dir, "s")+")/"+database+options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
