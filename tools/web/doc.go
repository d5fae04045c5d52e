// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package web gives an agent the web: tools that read one page, or several at once,
// and search.
//
//	search, err := web.NewSearXNG("http://localhost:8888")
//	tools, err := web.New(web.Options{Search: search})
//	err = registry.Register(tools.Tools()...)
//
// # What is guaranteed
//
// Requests go to public addresses only, unless [Options.AllowAddrs] names others. The
// address is checked when the connection is made, so that no name, redirect, spelling of
// a number, or answer of DNS that changes in between leads to a private,
// loopback, link-local or metadata address, to one of this machine, or to an IPv6 address
// that carries such an IPv4 one. Redirects are at most 5 and are checked one by one; from
// https to http none is followed. URLs are http or https and hold no password; no
// cookies, credentials or proxies of the environment are used.
//
// Time, header, unpacked size, type, depth and the answer's length are limited, and
// the answer says what is missing. Each host is asked one page at a time with a pause
// in between. Text in any encoding of HTML's becomes UTF-8.
//
// # What is left out
//
// No scripts run, so a page that is made by scripts is nearly empty. PDF files and
// pictures are refused. The content of a page is shown as it is after a line that
// calls it data: nothing makes a model heed that line. An address itself can carry
// out what a model knows; where that matters, let a policy decide which hosts may be
// asked. With [Options.Proxy] it is the proxy that must guard inner addresses.
//
// The HTML parser and the libraries for Markdown and articles cannot be stopped half way, and some of their
// work grows with the square of a page: they get no more of it than they can read in about two seconds, and the
// answer says that parts are missing. Ordinary pages are far from that.
package web
