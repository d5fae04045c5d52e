// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package plot draws the plots of the dashboard and of the report page as SVG: distributions, trends, heat maps and
// waterfalls.
package plot
