// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tools/data"
	"github.com/toolscope/toolscope/tools/files"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tools/weather"
	"github.com/toolscope/toolscope/tools/web"
)

// Options say which tools there are. The zero value is the safe set of the package
// comment.
type Options struct {
	// Dir is where files are and commands start; "" is the current directory.
	Dir string
	// Write adds the file tools that change something below Dir.
	Write bool
	// Files are further options of the file tools; if it has roots, Dir and Write do not
	// count for files.
	Files files.Options

	// Data are the options of the tools that compute.
	Data data.Options

	// Shell adds shell_run, and Jobs shell_start, shell_poll and shell_stop; their Dir is
	// Options.Dir if it is "". nil adds none.
	Shell *shell.Options
	Jobs  *shell.JobOptions

	// DB adds the tools that read a database, of SQL.Dialect; nil adds none. The
	// database stays the caller's. SQLWrite adds sql_exec.
	DB       *sql.DB
	SQL      sqldb.Options
	SQLWrite bool
	// Databases adds the same tools for further databases. Each needs a Prefix of its own in SQL, as "orders_".
	Databases []Database

	// Web adds the tools of package web, Weather those of package weather, and Python
	// python_run. nil adds none.
	Web     *web.Options
	Weather *weather.Options
	Python  *python.Options

	// Model adds agent_delegate, whose sub-agents have the other tools; nil does not.
	// Agent are its options; Handler and Tools are those of the catalog.
	Model agent.Model
	Agent agent.Options

	// Wrap gives the handler of the registry, with what observes and governs it:
	//
	//	func(r *toolkit.Registry) toolkit.Handler { return scope.WrapRegistry(r) }
	//
	// Sub-agents use it as well. nil is the registry's own Handle. It is called once, before
	// the tools are registered.
	Wrap func(*toolkit.Registry) toolkit.Handler

	// SkipMissing leaves out what this machine cannot do, and tells it in
	// [Catalog.Missing]. The default, false, is an error.
	SkipMissing bool
}

// A Database is a further one of [Options]: the fields are those of DB, SQL and SQLWrite.
type Database struct {
	DB    *sql.DB
	SQL   sqldb.Options
	Write bool
}

// A Catalog is a registry with its tools, and what they hold open.
type Catalog struct {
	// Registry has the tools; further ones may be registered.
	Registry *toolkit.Registry
	// Handler is the registry, wrapped by [Options.Wrap].
	Handler toolkit.Handler
	// Missing tells which tools were left out, and why; nil if none was.
	Missing []string

	closers []func() error
}

// New builds the tools. An error names what could not be built, and nothing stays open.
func New(o Options) (_ *Catalog, err error) {
	c := &Catalog{Registry: new(toolkit.Registry)}
	c.Handler = c.Registry.Handle
	if o.Wrap != nil {
		if c.Handler = o.Wrap(c.Registry); c.Handler == nil {
			return nil, errors.New("catalog: Options.Wrap: got a nil handler, want one that is not")
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("catalog: %w", err), c.Close())
		}
	}()
	for _, add := range []func(Options) ([]toolkit.Tool, error){c.files, dataTools, c.shell, c.jobs, databases, c.web,
		c.weather, c.python, c.agent} {
		tools, err := add(o)
		if err == nil {
			err = c.Registry.Register(tools...)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Close closes what the tools hold open, and ends background jobs. It may be called
// again; a nil *Catalog has nothing to close.
func (c *Catalog) Close() error {
	if c == nil {
		return nil
	}
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	c.closers = nil
	return errors.Join(errs...)
}

// missing notes what the machine cannot do, or gives it back as the error.
func (c *Catalog) missing(o Options, err error) error {
	if !o.SkipMissing {
		return err
	}
	c.Missing = append(c.Missing, err.Error())
	return nil
}
