// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
)

// requireAskers checks the Approve policies, which are served next to the statistics if there is a token.
func (s *Scope) requireAskers() error {
	if err := s.checkApprovals(s.rules.Load().policies); err != nil {
		return err
	}
	if s.options.ApprovalsToken == "" {
		return nil
	}
	if s.approvePolicy() == nil {
		return errors.New("toolscope: Options.ApprovalsToken: got no approve.Policy among the policies, " +
			"want one in Options.Policies")
	}
	return nil
}

// checkApprovals is an error if one of the policies is an Approve policy that has no one to ask. The first one is
// served if the scope serves approvals.
func (s *Scope) checkApprovals(policies []middleware.Policy) error {
	serve := s.options.ApprovalsToken != ""
	for _, p := range policies {
		policy, ok := p.(*approve.Policy)
		if !ok {
			continue
		}
		if serve {
			serve = false
			if err := policy.AnswerOverHTTP(s.options.ApprovalsToken); err != nil {
				return err
			}
		}
		if err := policy.CanAsk(); err != nil {
			return fmt.Errorf("toolscope: %w", err)
		}
	}
	return nil
}

// approvePolicy is the Approve policy in use, nil if there is none.
func (s *Scope) approvePolicy() *approve.Policy {
	for _, p := range s.rules.Load().policies {
		if policy, ok := p.(*approve.Policy); ok {
			return policy
		}
	}
	return nil
}

// approvals serves the Approve policy that is in use, and all else by rest.
type approvals struct {
	scope   *Scope
	token   string
	rest    http.Handler
	current atomic.Pointer[approvalsOf]
}

// approvalsOf is the handler of one policy.
type approvalsOf struct {
	policy  *approve.Policy
	handler http.Handler
}

func (a *approvals) handler(p *approve.Policy) (http.Handler, error) {
	if c := a.current.Load(); c != nil && c.policy == p {
		return c.handler, nil
	}
	h, err := approve.NewHandler(p, a.token, a.scope.options.HTTP.Hosts...)
	if err != nil {
		return nil, err
	}
	a.current.Store(&approvalsOf{p, h})
	return h, nil
}

func (a *approvals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	policy := a.scope.approvePolicy()
	if !isApprovals(r.URL.Path) || policy == nil {
		a.rest.ServeHTTP(w, r)
		return
	}
	h, err := a.handler(policy)
	if err != nil { // the token was checked when the scope was made
		a.rest.ServeHTTP(w, r)
		return
	}
	h.ServeHTTP(w, r)
}

// isApprovals reports whether a path is one of the approvals' or the kill switch's.
func isApprovals(path string) bool {
	path = strings.Trim(path, "/")
	return path == "approvals" || path == "api/v1/approvals" || strings.HasPrefix(path, "api/v1/approvals/") ||
		path == "api/v1/stops"
}
