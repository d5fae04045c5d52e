// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package dashboard makes the dashboard: one page that a server renders as a whole. Its links and forms are queries of the
// page itself. The script only fetches the page again when there is something new.
package dashboard
