// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package statsprom shows a recorder's statistics to Prometheus.
//
//	handler, err := statshttp.NewHandler(recorder, statshttp.Options{Metrics: statsprom.NewHandler})
//
// [NewCollector] is for your application's registry.
//
// # What is guaranteed
//
// Counters are of all calls since the recorder was made (and what it brought back
// from its directory), so they never go back while it lives. The running times of
// executed calls are a native histogram of 16 buckets to a doubling, exact within
// 2.2 %, and a classic one of 19 buckets, both with exemplars. Labels are
// bounded by the recorder: tools, outcomes, values of error.type and tags of policies, never
// sessions or texts. A tool's name that a terminal or a page would act on is a quoted
// Go string as a label. Recording a call costs nothing more: everything is computed when
// it is asked for.
//
// # What is left out
//
// Native histograms travel in Prometheus's protobuf form only, which a server asks
// for when its scrape configuration says scrape_native_histograms. Percentiles are
// not metrics here: histogram_quantile computes them from the buckets.
package statsprom
