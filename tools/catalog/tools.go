// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
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

func (c *Catalog) files(o Options) ([]toolkit.Tool, error) {
	f := o.Files
	if len(f.Roots) == 0 {
		dir := o.Dir
		dir = cmp.Or(dir, ".")
		f.Roots = []files.Root{{Name: "work", Path: dir, ReadOnly: !o.Write}}
	}
	set, err := files.New(f)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, set.Close)
	return set.Tools(), nil
}

func dataTools(o Options) ([]toolkit.Tool, error) {
	set, err := data.New(o.Data)
	if err != nil {
		return nil, err
	}
	return set.Tools(), nil
}

func (c *Catalog) shell(o Options) ([]toolkit.Tool, error) {
	if o.Shell == nil {
		return nil, nil
	}
	s := *o.Shell
	s.Dir = cmp.Or(s.Dir, o.Dir)
	tool, err := shell.New(s)
	if err != nil {
		return nil, c.missing(o, err)
	}
	return []toolkit.Tool{tool}, nil
}

func (c *Catalog) jobs(o Options) ([]toolkit.Tool, error) {
	if o.Jobs == nil {
		return nil, nil
	}
	j := *o.Jobs
	j.Dir = cmp.Or(j.Dir, o.Dir)
	jobs, err := shell.NewJobs(j)
	if err != nil {
		return nil, c.missing(o, err)
	}
	c.closers = append(c.closers, jobs.Close)
	return jobs.Tools(), nil
}

func databases(o Options) (tools []toolkit.Tool, err error) {
	all := o.Databases
	if o.DB != nil {
		all = append([]Database{{o.DB, o.SQL, o.SQLWrite}}, all...)
	}
	for _, d := range all {
		set, err := sqldb.New(d.DB, d.SQL)
		if err != nil {
			return nil, err
		}
		tools = append(tools, set.ReadTools()...)
		if d.Write {
			tools = append(tools, set.WriteTool())
		}
	}
	return tools, nil
}

func (c *Catalog) web(o Options) ([]toolkit.Tool, error) {
	if o.Web == nil {
		return nil, nil
	}
	set, err := web.New(*o.Web)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, func() error { set.Close(); return nil })
	return set.Tools(), nil
}

func (c *Catalog) weather(o Options) ([]toolkit.Tool, error) {
	if o.Weather == nil {
		return nil, nil
	}
	set, err := weather.New(*o.Weather)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, func() error { set.Close(); return nil })
	return set.Tools(), nil
}

// python is python_run. Without a Python the tool exists and says so; where that is to be
// left out it is.
func (c *Catalog) python(o Options) ([]toolkit.Tool, error) {
	if o.Python == nil {
		return nil, nil
	}
	if o.SkipMissing {
		if err := python.Available(*o.Python); err != nil {
			return nil, c.missing(o, err)
		}
	}
	tool, err := python.New(*o.Python)
	if err != nil {
		return nil, err
	}
	return []toolkit.Tool{tool}, nil
}

func (c *Catalog) agent(o Options) ([]toolkit.Tool, error) {
	if o.Model == nil {
		return nil, nil
	}
	a := o.Agent
	a.Handler, a.Tools = c.Handler, c.Registry
	tool, err := agent.New(o.Model, a)
	if err != nil {
		return nil, err
	}
	return []toolkit.Tool{tool}, nil
}
