// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

// wanted is a call that is on the screen and whose content was not asked for yet.
func (m *Model) wanted() (Call, bool) {
	p := m.place()
	if p.kind == oneCall {
		if _, known := m.content(&p.call); !known {
			return p.call, true
		}
		return Call{}, false
	}
	if m.state == nil || p.kind != callList && p.kind != oneTool && p.kind != oneSession && p.kind != oneError {
		return Call{}, false
	}
	calls := make(map[string]*Call, len(m.state.Calls))
	for i := range m.state.Calls {
		calls[m.state.Calls[i].Key] = &m.state.Calls[i]
	}
	rows := m.table(p).Rows
	for _, r := range rows[min(p.top, len(rows)):min(len(rows), p.top+m.bodyHeight())] {
		c := calls[r.Key]
		if _, known := m.content(c); !known {
			return *c, true
		}
	}
	return Call{}, false
}
