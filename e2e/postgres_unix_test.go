// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// postgres is a PostgreSQL server of the test's own, which listens on a Unix socket
// and lets everybody in who can reach that.
type postgres struct{ socket string }

// startPostgres starts a server for the test. Where TOOLSCOPE_E2E is not 1 the test is
// skipped if there is none.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	// Debian keeps the server's programs out of the path, one directory for each version.
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.Sort(found)
	initdb := "initdb"
	if len(found) > 0 {
		initdb = found[len(found)-1]
	}
	initdb = program(t, initdb)
	dir, err := os.MkdirTemp("", "pg") // short: the path of a socket has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := serverUser(t, dir)
	data := filepath.Join(dir, "data")
	create := exec.Command(
		initdb,
		"-D",
		data,
		"-U",
		"postgres",
		"-A",
		"trust",
		"-E",
		"UTF8",
		"--no-locale",
		"--no-sync",
	)
	create.SysProcAttr, create.Dir = as, dir
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	var log bytes.Buffer
	server := exec.Command(
		filepath.Join(filepath.Dir(initdb), "postgres"),
		"-D",
		data,
		"-c",
		"listen_addresses=",
		"-c",
		"unix_socket_directories="+dir,
		"-c",
		"fsync=off",
	)
	server.SysProcAttr, server.Dir, server.Stderr = as, dir, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT) // an immediate shutdown
		_ = server.Wait()
		if t.Failed() {
			t.Logf("the server's log:\n%s", &log)
		}
	})
	pg := &postgres{dir}
	admin := pg.open(t, "user=postgres database=postgres")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := admin.PingContext(t.Context())
		if err == nil {
			return pg
		}
		if time.Now().After(deadline) {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
	}
}

// serverUser gives a directory to the user that the server runs as: PostgreSQL refuses to run
// as root, so root lends it the user that Debian's package made.
func serverUser(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("the user postgres: %v", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil || os.Chown(dir, uid, gid) != nil {
		t.Fatalf("the user postgres has ids %s, %s, which cannot own %s", u.Uid, u.Gid, dir)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// open opens a database of the server.
func (p *postgres) open(t *testing.T, settings string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", "host="+p.socket+" "+settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// run runs statements, one after the other.
func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
