// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	_ "modernc.org/sqlite" // the database's driver, in Go alone

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/files"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tools/weather"
	"github.com/toolscope/toolscope/tools/web"
)

// Options choose the built-in tools.
type Options struct {
	Dir            string
	Write, Shell   bool
	web, all       bool
	python, search string
	modules        []string // further modules for Python
	dbs            []string // FILE or NAME=FILE
}

// About is the part of a command's description that explains the options.
const About = `Without options there are only harmless tools: they read files below the current
directory, or compute.`

// Define defines the options of a command.
func (o *Options) Define(c *cobra.Command) {
	cli.Group(c, "Tools", func(f *pflag.FlagSet) {
		f.StringVar(&o.Dir, "dir", "", "files are, and commands start, in `DIR`; the default is the current directory")
		f.BoolVar(&o.Write, "write", false, "files may be changed below DIR")
		f.BoolVar(&o.Shell, "shell", false, "commands, in the foreground and the background")
		f.StringVar(&o.python, "python", "", "Python programs, at `LEVEL` \"strict\", \"standard\" or \"lenient\"")
		f.StringSliceVar(&o.modules, "python-modules", nil, "further modules that programs of --python may import: "+
			"`NAMES` with commas between them; you vouch for what they do")
		f.BoolVar(&o.web, "web", false, "pages of public addresses, and the weather")
		f.StringVar(&o.search, "search", "", "web search by the SearXNG at `URL`")
		f.StringArrayVar(&o.dbs, "db", nil, "the SQLite database `FILE`, to read; with --write to write as well; "+
			"for several, repeat it with NAME=FILE, which gives NAME_sql_query")
		f.BoolVar(&o.all, "all", false, "--write, --shell, --python standard and --web")
	})
}

// RunsCode reports whether clients can run commands or programs.
func (o Options) RunsCode() bool { return o.Shell || o.all || o.python != "" }

// Open builds the tools. Tools whose prerequisites are missing on this machine are an error; with --all
// they are skipped, and [ReportMissing] lists them. The function returned closes the tools.
func (o Options) Open(wrap func(*catalog.Options)) (*catalog.Catalog, func() error, error) {
	if o.all {
		o.Write, o.Shell, o.web = true, true, true
		if o.python == "" {
			o.python = string(python.Standard)
		}
	}
	options := catalog.Options{Dir: o.Dir, Write: o.Write, SkipMissing: o.all, Files: files.Options{Trash: true}}
	if o.Shell {
		options.Shell, options.Jobs = new(shell.Options), new(shell.JobOptions)
	}
	if o.python != "" {
		level := python.Level(o.python)
		options.Python = &python.Options{Level: level, ExtraModules: map[python.Level][]string{level: o.modules}}
	} else if len(o.modules) > 0 {
		return nil, nil, cli.Usage("--python-modules: got no --python, want the level of the programs")
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
	for _, given := range o.dbs {
		if given == "" { // as an unset variable of a script gives
			continue
		}
		name, file := splitDatabase(given)
		if name == "" && len(o.dbs) > 1 {
			return nil, nil, errors.Join(cli.Usage("--db: got %d databases, want NAME=FILE for each, as orders=%s",
				len(o.dbs), filepath.Base(file)), closeAll())
		}
		db, err := openDatabase(file, o.Write)
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		closers = append(closers, db.Close)
		d := catalog.Database{DB: db, Write: o.Write, SQL: sqldb.Options{Dialect: sqldb.SQLite, Resource: "db:" + filepath.Base(file)}}
		if name != "" {
			d.SQL.Prefix, d.SQL.Resource = name+"_", "db:"+name
		}
		options.Databases = append(options.Databases, d)
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

// splitDatabase splits NAME=FILE; the name is "" if there is none, as in ./a=b.db.
func splitDatabase(given string) (name, file string) {
	name, file, ok := strings.Cut(given, "=")
	if !ok || file == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) {
		return "", given
	}
	return name, file
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

// ReportMissing lists the tools that were skipped because something is missing on this machine.
func ReportMissing(w io.Writer, tools *catalog.Catalog) {
	for _, m := range tools.Missing {
		fmt.Fprintf(w, "left out: %s\n", display.Plain(m))
	}
}

// ApprovalsFlag defines --approvals-token-file of a command that serves statistics.
func ApprovalsFlag(f *pflag.FlagSet, file *string) {
	f.StringVar(file, "approvals-token-file", "", "serve calls that wait for a person, and 'toolscope stop', with the "+
		"statistics (--stats): `FILE` has one token of 16 bytes or more, or a line \"NAME TOKEN\" for each person; "+
		"needs policies.approve if there is a configuration")
}

// ApprovalsToken reads the file of --approvals-token-file; "" without one. stats is the address of the statistics.
func ApprovalsToken(file, stats string) (string, error) {
	if file == "" {
		return "", nil
	}
	if stats == "" {
		return "", cli.Usage("--approvals-token-file: got no --stats, want the address where approvals are served")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--approvals-token-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// NoApprovals adds to an error of [toolscope.New] what to write in a configuration file whose approvals cannot ask
// a person in this command. config is the file's path, "" for the command's own. token says whether the command serves
// approvals, and flag whether it could.
func NoApprovals(command, config string, token, flag bool, err error) error {
	switch {
	case config == "":
		return err
	case token && strings.Contains(err.Error(), "got no approve.Policy"):
		return fmt.Errorf("%s: policies.approve: got nothing, want \"approve: {}\" for --approvals-token-file", config)
	case !errors.Is(err, approve.ErrCannotAsk):
		return err
	}
	also := ""
	if flag {
		also = "--stats and --approvals-token-file, or "
	}
	return fmt.Errorf("%s: policies.approve: toolscope %s serves no approvals, want %sterminal: true and a terminal, or "+
		"unattended: true to refuse these calls: %w", config, command, also, err)
}
