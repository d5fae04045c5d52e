// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"strings"
	"sync"

	"github.com/toolscope/toolscope/redact"
)

// maxToolNames bounds the names that a [toolNames] remembers. Others are redacted each time.
const maxToolNames = 4096

// toolNames are names of registered tools as they are shown: redacted and clipped, each once. It is safe for
// concurrent use. A nil *toolNames clips only.
type toolNames struct {
	redactor *redact.Redactor

	mu    sync.RWMutex
	shown map[string]string
}

func newToolNames(redactor *redact.Redactor) *toolNames {
	return &toolNames{redactor: redactor, shown: make(map[string]string)}
}

func (n *toolNames) shownAs(name string) string {
	clipped := strings.ToValidUTF8(name[:min(len(name), maxToolName)], "")
	if n == nil || name == "" {
		return clipped
	}
	n.mu.RLock()
	shown, ok := n.shown[name]
	n.mu.RUnlock()
	if ok {
		return shown
	}
	shown, _ = n.redactor.TextMax(name, maxToolName)
	shown = strings.ToValidUTF8(shown, "")
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.shown) < maxToolNames && len(name) <= maxToolName {
		n.shown[strings.Clone(name)] = shown
	}
	return shown
}
