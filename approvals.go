// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"errors"
	"net/http"
	"strings"

	"github.com/toolscope/toolscope/middleware/approve"
)

// serveApprovals puts the pages of the Approve policy beside the statistics.
func (s *Scope) serveApprovals() error {
	if s.config.approvals == "" {
		return nil
	}
	for _, p := range s.config.policies {
		policy, ok := p.(*approve.Policy)
		if !ok {
			continue
		}
		requests, err := approve.NewHandler(policy, s.config.approvals)
		if err != nil {
			return err
		}
		rest := s.handler
		s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isApprovals(r.URL.Path) {
				requests.ServeHTTP(w, r)
				return
			}
			rest.ServeHTTP(w, r)
		})
		return nil
	}
	return errors.New("toolscope: WithApprovals: got no approve.Policy among the policies, want one (WithPolicies)")
}

// isApprovals reports whether a path is one of the approvals' pages.
func isApprovals(path string) bool {
	path = strings.Trim(path, "/")
	return path == "approvals" || path == "api/v1/approvals" || strings.HasPrefix(path, "api/v1/approvals/")
}
