// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"database/sql"
	"net/netip"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the database's driver, in Go alone

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/files"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tools/weather"
	"github.com/toolscope/toolscope/tools/web"
)

// register makes the tools: the whole catalog over the directory, the scratch workspace, an
// SQLite database in it and the loopback site, then the troubles. The function returned
// closes what they hold, on an error as well.
func (s *session) register(dir, scratch string) (closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for i := len(closers) - 1; i >= 0; i-- {
			_ = closers[i]() // the scratch directory goes anyway
		}
	}
	local, err := openSite()
	if err != nil {
		return closeAll, err
	}
	closers = append(closers, local.close)
	s.model.site = local.url
	db, err := sql.Open("sqlite", filepath.Join(scratch, "orders.db"))
	if err != nil {
		return closeAll, err
	}
	closers = append(closers, db.Close)
	options, err := s.tools(dir, scratch, local.url)
	if err != nil {
		return closeAll, err
	}
	options.DB = db
	if s.catalog, err = catalog.New(options); err != nil {
		return closeAll, err
	}
	closers = append(closers, s.catalog.Close)
	for _, m := range s.catalog.Missing {
		s.summary.Notes = append(s.summary.Notes, "missing on this machine, so its calls are unknown: "+m)
	}
	return closeAll, s.catalog.Registry.Register(troubles(s.model.secrets)...)
}

// tools says which tools the session has.
func (s *session) tools(dir, scratch, site string) (catalog.Options, error) {
	search, err := web.NewSearXNG(site)
	if err != nil {
		return catalog.Options{}, err
	}
	commands := shell.Options{Dir: dir, Timeout: 10 * time.Second}
	return catalog.Options{
		Files: files.Options{Roots: []files.Root{{Name: "here", Path: dir, ReadOnly: true}, {Name: "scratch", Path: scratch}}},
		Shell: &commands, Jobs: &shell.JobOptions{Options: commands},
		SQL: sqldb.Options{Dialect: sqldb.SQLite, Resource: "db:orders"}, SQLWrite: true,
		Web:     &web.Options{Search: search, AllowAddrs: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, HostDelay: -1},
		Weather: &weather.Options{GeocodingURL: site + "/places", ForecastURL: site + "/forecast"},
		Python:  &python.Options{},
		Model:   s.model.generate, Agent: s.subAgents(),
		Wrap:        func(r *toolkit.Registry) toolkit.Handler { return s.scope.WrapRegistry(r) },
		SkipMissing: true,
	}, nil
}
