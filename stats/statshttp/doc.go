// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package statshttp serves the statistics of a [stats.Recorder] over HTTP: a JSON API, live events and a dashboard.
//
//	recorder, err := stats.New(stats.Options{})
//	handler, err := statshttp.NewHandler(recorder, statshttp.Options{})
//	http.Handle("/debug/tools/", http.StripPrefix("/debug/tools", handler))
//
// [Announce] lets `toolscope stats` find the program. `docs/http.md` describes the API.
//
// # Guarantees
//
// By default only requests over loopback are answered. Every answer has a Content-Security-Policy that forbids foreign
// content, and texts of tools and agents are escaped. The number of streams and of answers computed at the same time is
// bounded, and so is the time that a client may take to read an answer.
//
// # What it leaves out
//
// TLS is the server's task. Metrics for Prometheus come from package exporters/statsprom, through [Options].Metrics.
package statshttp
