// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package statspage renders statistics as HTML: the dashboard, whose data stats/statshttp collects, and the report page of
// a call log. Both share templates, style sheet and plots.
package statspage
