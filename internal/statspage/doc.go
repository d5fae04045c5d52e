// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package statspage holds the page that shows statistics: its files, the data it draws, the report
// that is one file with the data inside, and the plain-text tables for readers without JavaScript.
//
// The files in web are plain JavaScript modules. [Files] joins them into one script, so that a browser
// asks for one file and a report can contain it. web/uplot.min.js is uPlot 1.6.32 by Leon Sorokin under
// the MIT licence (web/uplot.LICENSE), unchanged from the npm package.
package statspage
