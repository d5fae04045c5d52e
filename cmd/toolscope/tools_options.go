// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the database's driver, in Go alone

	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/files"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tools/weather"
	"github.com/toolscope/toolscope/tools/web"
)

// toolOptionsHelp is the part of a command's help that tells [toolOptions].
const toolOptionsHelp = `Without options there is what can do no harm: files below the current directory to read,
and tools that compute. More are added by

  --dir DIR       where files are and commands start; the default is the current directory
  --write         files may be changed below DIR
  --shell         commands, in the foreground and the background
  --python LEVEL  Python programs, "strict", "standard" or "lenient"
  --web           pages of public addresses, and the weather
  --search URL    web search by the SearXNG at URL
  --db FILE       an SQLite database, to read; with --write to write as well
  --all           --write, --shell, --python standard and --web
`

// toolOptions say which built-in tools there are.
type toolOptions struct {
	write, shell, web, all  bool
	dir, python, search, db string
}

func (o *toolOptions) register(f *flag.FlagSet) {
	f.StringVar(&o.dir, "dir", "", "")
	f.BoolVar(&o.write, "write", false, "")
	f.BoolVar(&o.shell, "shell", false, "")
	f.StringVar(&o.python, "python", "", "")
	f.BoolVar(&o.web, "web", false, "")
	f.StringVar(&o.search, "search", "", "")
	f.StringVar(&o.db, "db", "", "")
	f.BoolVar(&o.all, "all", false, "")
}

// open builds the tools. What this machine lacks is an error, but with --all it is left
// out and told. The function closes what the tools hold.
func (o toolOptions) open(wrap func(*catalog.Options)) (*catalog.Catalog, func() error, error) {
	if o.all {
		o.write, o.shell, o.web = true, true, true
		if o.python == "" {
			o.python = string(python.Standard)
		}
	}
	options := catalog.Options{Dir: o.dir, Write: o.write, SkipMissing: o.all, Files: files.Options{Trash: true}}
	if o.shell {
		options.Shell, options.Jobs = new(shell.Options), new(shell.JobOptions)
	}
	if o.python != "" {
		options.Python = &python.Options{Level: python.Level(o.python)}
	}
	if o.web || o.search != "" {
		options.Web, options.Weather = new(web.Options), new(weather.Options)
	}
	var closers []func() error
	closeAll := func() error {
		var errs []error
		for i := len(closers) - 1; i >= 0; i-- {
			errs = append(errs, closers[i]())
		}
		return errors.Join(errs...)
	}
	if o.search != "" {
		backend, err := web.NewSearXNG(o.search)
		if err != nil {
			return nil, nil, fmt.Errorf("--search: %w", err)
		}
		options.Web.Search = backend
	}
	if o.db != "" {
		db, err := openDatabase(o.db, o.write)
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		closers = append(closers, db.Close)
		options.DB, options.SQL, options.SQLWrite = db, sqldb.Options{Dialect: sqldb.SQLite, Resource: "db:" + filepath.Base(o.db)}, o.write
	}
	if wrap != nil {
		wrap(&options)
	}
	tools, err := catalog.New(options)
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	closers = append(closers, tools.Close)
	return tools, closeAll, nil
}

// openDatabase opens an SQLite file. One that is to be read must be there.
func openDatabase(path string, write bool) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil && !write {
		return nil, fmt.Errorf("--db: %w", err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, fmt.Errorf("--db: %w", err)
	}
	return db, nil
}
