// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package overhttp is the proxy of a server over HTTP. Requests and answers pass through [httputil.ReverseProxy], with a
// copy of their bodies; under policies calls of tools are read before they are sent on.
package overhttp
