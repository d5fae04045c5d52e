// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A message is one of JSON-RPC: a request, a notification or an answer.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *rpcError      `json:"error"`

	size int64    // of the frame it came in
	skim *skimmer // set, instead of Params and Result, for one that was too long
}

// rpcError is the error of an answer. It is an error here: its text is the peer's.
type rpcError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string {
	if e.Message != "" {
		return e.Message
	}
	return "JSON-RPC error " + strconv.FormatInt(e.Code, 10)
}

// lenient reads what peers write, as most of them read it.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func unmarshal(data []byte, into any) error { return json.Unmarshal(data, into, lenient) }

// maxBatch is how many messages of a batch are looked at.
const maxBatch = 1024

// parseMessages are the messages of a text, one but for a batch; ok is false if it is not JSON-RPC. size is that of
// the text on the wire.
func parseMessages(text []byte, size int64) (list []message, ok bool) {
	data := bytes.TrimSpace(text)
	if len(data) == 0 {
		return nil, true
	}
	if data[0] != '[' {
		var m message
		if unmarshal(data, &m) != nil || !m.valid() {
			return nil, false
		}
		m.size = size
		return []message{m}, true
	}
	if unmarshal(data, &list) != nil || len(list) == 0 {
		return nil, false
	}
	list = list[:min(len(list), maxBatch)]
	for i := range list {
		if !list[i].valid() {
			return nil, false
		}
		list[i].size = size / int64(len(list))
	}
	return list, true
}

func (m *message) valid() bool {
	return m.Method != "" || m.Result != nil || m.Error != nil
}

// request reports whether the message asks for an answer.
func (m *message) request() bool { return m.Method != "" && m.key() != "" }

// maxID is how long the id of a request may be to be waited for.
const maxID = 256

// key is the id as the message has it; "" without one.
func (m *message) key() string {
	if len(m.ID) == 0 || len(m.ID) > maxID || m.ID.Kind() == 'n' {
		return ""
	}
	return string(m.ID)
}

// id is the id as the conventions want it, without quotes.
func (m *message) id() string { return unquoted(m.key()) }

// skimmedMessage is what was found in a text of a size that was too long.
func skimmedMessage(s *skimmer, size int64) (m message, ok bool) {
	m.skim, m.size = s, size
	if id := s.found["id"]; id != "" {
		m.ID = jsontext.Value(id)
	}
	m.Method = unquoted(s.found["method"])
	if code, err := strconv.ParseInt(s.found["error.code"], 10, 64); err == nil {
		m.Error = &rpcError{code, unquoted(s.found["error.message"])}
	}
	return m, m.Method != "" || m.ID != nil
}

// unquoted is a JSON string's value; the text itself if it is none.
func unquoted(text string) string {
	if len(text) < 2 || text[0] != '"' {
		return text
	}
	value, err := jsontext.AppendUnquote(nil, text)
	if err != nil {
		return text[1 : len(text)-1]
	}
	return string(value)
}

// params are the members of a request's parameters that matter here.
type params struct {
	Name           string         `json:"name"`
	URI            string         `json:"uri"`
	Arguments      jsontext.Value `json:"arguments"`
	Cursor         string         `json:"cursor"`
	RequestID      jsontext.Value `json:"requestId"`
	RequestState   string         `json:"requestState"`
	InputResponses jsontext.Value `json:"inputResponses"`
	Task           jsontext.Value `json:"task"`
	TaskID         jsontext.Value `json:"taskId"`
	Meta           meta           `json:"_meta"`

	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    jsontext.Value `json:"capabilities"`
	ClientInfo      peer           `json:"clientInfo"`
	ServerInfo      peer           `json:"serverInfo"` // of an answer to initialize
}

// peer is what a client or a server says of itself.
type peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// meta is a request's _meta. It carries trace context by the propagators' own keys
// (SEP-414).
type meta map[string]jsontext.Value

func (m meta) Get(key string) string { return unquoted(string(m[key])) }
func (m meta) Set(string, string)    {} // nothing is written where it is only read
func (m meta) Keys() []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// carriesInput reports whether a call says that the server has asked for input.
func (p *params) carriesInput() bool { return p.RequestState != "" || len(p.InputResponses) > 0 }

// carriesMore reports whether what comes of a call depends on more than its arguments: on input, or on that it is to be
// a task, of which a first answer tells no more than its id.
func (p *params) carriesMore() bool { return p.carriesInput() || len(p.Task) > 0 }

// params are those of a request or notification; what cannot be read is left out.
func (m *message) params() (p params) {
	if m.skim == nil {
		if len(m.Params) > 0 && m.Params.Kind() == '{' {
			_ = unmarshal(m.Params, &p)
		}
		return p
	}
	found := m.skim.found
	p.Name, p.URI, p.RequestState = unquoted(found["params.name"]), unquoted(found["params.uri"]), unquoted(found["params.requestState"])
	for _, key := range []string{"traceparent", "tracestate", "baggage", mcp.MetaKeyProtocolVersion} {
		if v := found["params._meta."+key]; v != "" {
			if p.Meta == nil {
				p.Meta = meta{}
			}
			p.Meta[key] = jsontext.Value(v)
		}
	}
	return p
}

// answered is what matters of a result, whatever request it answers.
type answered struct {
	IsError       bool           `json:"isError"`
	ResultType    string         `json:"resultType"`
	RequestState  string         `json:"requestState"`
	InputRequests jsontext.Value `json:"inputRequests"`
	Task          jsontext.Value `json:"task"`
}

func (m *message) answered() (a answered) {
	if m.skim == nil {
		if len(m.Result) > 0 && m.Result.Kind() == '{' {
			_ = unmarshal(m.Result, &a)
		}
		return a
	}
	found := m.skim.found
	return answered{IsError: found["result.isError"] == "true", ResultType: unquoted(found["result.resultType"]), RequestState: unquoted(found["result.requestState"])}
}

// suspended reports whether the server waits for more before it answers.
func (a *answered) suspended() bool {
	return a.ResultType == "input_required" || len(a.InputRequests) > 0 && a.InputRequests.Kind() == '{'
}

// task is what the answer to a call says of the task that it became.
type task struct {
	ID string `json:"taskId"`
}

// taskID is the id of the task that an answer gives; "" if it gives none.
func (a *answered) taskID() string {
	if len(a.Task) == 0 || a.Task.Kind() != '{' {
		return ""
	}
	var t task
	if unmarshal(a.Task, &t) != nil {
		return ""
	}
	return t.ID
}
