// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/memo"
)

// talks remembers the start options of tools' calls in conversations, which come again with
// call after call. Its size is fixed: a conversation may take another's place.
type talks struct {
	known *memo.Table[talk, []trace.SpanStartOption]
}

// talk is a tool in a conversation.
type talk struct {
	info         *toolInfo
	conversation string
}

func newTalks() talks { return talks{memo.NewTable[talk, []trace.SpanStartOption](256)} }

// startOptions are the start options of a tool's calls in a conversation, whose id name makes fit to
// leave. Safe for concurrent use.
func (t talks) startOptions(info *toolInfo, conversation string, name func(string) string) []trace.SpanStartOption {
	if len(conversation) > maxIdentifier { // is not kept in memory
		return info.inConversation(name(conversation))
	}
	hash := memo.Mix(memo.String(conversation), memo.Pointer(info))
	if start, ok := t.known.Load(hash, talk{info, conversation}); ok {
		return start
	}
	made := info.inConversation(name(conversation))
	t.known.Store(hash, talk{info, strings.Clone(conversation)}, made)
	return made
}

// inConversation makes the start options of calls in a conversation. All attributes are in
// one option, since the API copies what it has for each.
func (i *toolInfo) inConversation(id string) []trace.SpanStartOption {
	attributes := append([]attribute.KeyValue(nil), i.atStart...)
	attributes = append(attributes, keyConversation.String(id))
	return append([]trace.SpanStartOption{trace.WithAttributes(attributes...)}, i.start[1:]...)
}
