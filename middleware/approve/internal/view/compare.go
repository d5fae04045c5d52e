// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package view

// maxCells bounds the work of a comparison; larger differences are marked as a whole.
const maxCells = 1 << 20

// Compare marks the parts that an earlier call did not have in that order.
func Compare(now, earlier []Part) {
	same := func(a, b Part) bool { return a.Text == b.Text && a.Kind == b.Kind }
	for len(now) > 0 && len(earlier) > 0 && same(now[0], earlier[0]) {
		now, earlier = now[1:], earlier[1:]
	}
	for len(now) > 0 && len(earlier) > 0 && same(now[len(now)-1], earlier[len(earlier)-1]) {
		now, earlier = now[:len(now)-1], earlier[:len(earlier)-1]
	}
	if len(now)*len(earlier) > maxCells {
		earlier = nil
	}
	// common[i][j] is the length of the longest common subsequence of now[i:] and earlier[j:].
	columns := len(earlier) + 1
	common := make([]int32, (len(now)+1)*columns)
	for i := len(now) - 1; i >= 0; i-- {
		for j := len(earlier) - 1; j >= 0; j-- {
			if same(now[i], earlier[j]) {
				common[i*columns+j] = common[(i+1)*columns+j+1] + 1
			} else {
				common[i*columns+j] = max(common[(i+1)*columns+j], common[i*columns+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(now); {
		switch {
		case j < len(earlier) && same(now[i], earlier[j]):
			i, j = i+1, j+1
		case j < len(earlier) && common[i*columns+j+1] >= common[(i+1)*columns+j]:
			j++
		default:
			now[i].Changed = now[i].Kind != Layout
			i++
		}
	}
}
