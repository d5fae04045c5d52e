// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

// Status is that of all servers, in order of configuration.
func (m *Manager) Status() []Status {
	servers := m.all()
	list := make([]Status, len(servers))
	for i, s := range servers {
		list[i] = s.status()
	}
	return list
}
