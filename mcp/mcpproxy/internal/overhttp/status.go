// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import "net/http"

// finalStatus makes an error of an answer whose status net/http reads and does not write: that panics.
type finalStatus struct{ next http.RoundTripper }

func (f finalStatus) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := f.next.RoundTrip(r)
	if err == nil && resp.StatusCode < http.StatusOK && resp.StatusCode != http.StatusSwitchingProtocols {
		_ = resp.Body.Close()
		return nil, statusError(resp.StatusCode)
	}
	return resp, err
}
