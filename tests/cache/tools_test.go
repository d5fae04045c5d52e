// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
	"github.com/toolscope/toolscope/tools/sqldb"
)

// Real files and rows, read and written at random through the tools as they declare
// themselves: no read gives a version older than the last one whose write had ended when
// the read began.
func TestNoStaleFilesAndRows(t *testing.T) {
	dir := t.TempDir()
	fileTools, err := files.New(files.Options{Roots: []files.Root{{Name: "desk", Path: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	defer fileTools.Close()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, version INTEGER); INSERT INTO t VALUES (0, 0), (1, 0)"); err != nil {
		t.Fatal(err)
	}
	sqlTools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(append(append(fileTools.Tools(), sqlTools.ReadTools()...), sqlTools.WriteTool())...); err != nil {
		t.Fatal(err)
	}
	c, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	twins, err := dedupe.New(dedupe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handle := toolkit.Observe(registry.Lookup, quiet{})(middleware.Wrap(registry.Handle, c, twins))

	// Two files and two rows: cell 0 and 1, 2 and 3.
	var written [4]atomic.Int64 // the last version whose write has ended
	var next [4]sync.Mutex      // one writer for each cell at a time
	version := regexp.MustCompile(`version (\d+)|\[\[(\d+)\]\]`)
	write := func(cell int) {
		next[cell].Lock()
		defer next[cell].Unlock()
		v := written[cell].Load() + 1
		wc := call("", "file_write", fmt.Sprintf(`{"path":"f%d.txt","content":"version %d\n","mode":"overwrite"}`, cell, v))
		if cell >= 2 {
			wc = call("", "sql_exec", fmt.Sprintf(`{"statement":"UPDATE t SET version = %d WHERE id = %d"}`, v, cell-2))
		}
		if res, err := handle(session, wc); err != nil || res.Fault != nil {
			t.Errorf("%s: %v, %v", wc.Arguments, err, res.Output)
			return
		}
		written[cell].Store(v)
	}
	for cell := range written {
		write(cell)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 150 {
				cell := rand.IntN(4)
				if rand.IntN(6) == 0 {
					write(cell)
					continue
				}
				before := written[cell].Load()
				rc := call("", "file_read", fmt.Sprintf(`{"path":"f%d.txt"}`, cell))
				if cell >= 2 {
					rc = call("", "sql_query", fmt.Sprintf(`{"query":"SELECT version FROM t WHERE id = %d"}`, cell-2))
				}
				res, err := handle(session, rc)
				found := version.FindStringSubmatch(res.Output)
				if err != nil || res.Fault != nil || found == nil {
					t.Errorf("%s: got %q, %v", rc.Arguments, res.Output, err)
					return
				}
				got, _ := strconv.ParseInt(found[1]+found[2], 10, 64)
				if got < before {
					t.Errorf("%s: got version %d, and %d had been written before", rc.Arguments, got, before)
				}
			}
		})
	}
	wg.Wait()
	figures := map[string]float64{}
	c.Figures(func(name string, value float64) { figures[name] = value })
	if figures["hits"] == 0 || figures["stale"] == 0 {
		t.Errorf("got %v: the test shows nothing", figures)
	}
}

// quiet is an observer that looks at nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

func call(id, name, arguments string) toolkit.Call {
	return toolkit.Call{ID: id, Name: name, Arguments: []byte(arguments)}
}

// session is the caller's.
var session = toolkit.WithSession(context.Background(), toolkit.Session{Tenant: "t", ID: "a"})

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
