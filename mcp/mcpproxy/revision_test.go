// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"testing"

	"github.com/toolscope/toolscope/internal/keys"
)

// Revision 2026-07-28 says its version in each request, and has no sessions: an id that a client sends all the same
// is on no span of it.
func TestRevisionOfARequest(t *testing.T) {
	for revision, id := range map[string]string{"2025-11-25": "a-session", "2026-07-28": "", "of-my-own": "a-session"} {
		w := newWatched(t, Options{})
		c := w.connect()
		c.session.SetName("a-session")
		meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q}`, revision)
		c.client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",%s}}`, meta)
		c.server(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		c.client(`{"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{%s}}`, meta)
		c.server(`{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}`)
		version := revision
		if revision == "of-my-own" {
			version = ""
		}
		for _, name := range []string{"tools/call x", "prompts/list"} {
			s := w.span(name)
			if got, v := has(s, keys.SessionID), has(s, keys.ProtocolVersion); got != id || v != version {
				t.Errorf("%s of %s: got the session %q and version %q, want %q and %q", name, revision, got, v, id, version)
			}
		}
	}
}
