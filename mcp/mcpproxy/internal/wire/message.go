// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/internal/skim"
)

// A Message is one of JSON-RPC: a request, a notification or an answer.
type Message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *RPCError      `json:"error"`

	Size   int64         // of the frame it came in
	Skim   *skim.Skimmer // set, instead of Params and Result, for one that was too long
	params *Params       // Params, once they were read; nil before
}

// RPCError is the error of an answer. It is an error here: its text is the peer's.
type RPCError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// Error is the message that the peer sent, or the code.
func (e *RPCError) Error() string {
	if e.Message != "" {
		return e.Message
	}
	return "JSON-RPC error " + strconv.FormatInt(e.Code, 10)
}

// Lenient reads what peers write, as most of them read it.
var Lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Unmarshal reads JSON as most peers read it.
func Unmarshal(data []byte, into any) error { return json.Unmarshal(data, into, Lenient) }

// ReadMessage reads a message as [Unmarshal] does; ok is false for what is none. Its members are parts of the text.
func ReadMessage(text []byte) (m Message, ok bool) {
	return m, m.read(text, nil, Lenient) == nil
}

// read reads a message. The names that are not those of JSON-RPC are given to other.
func (m *Message) read(text []byte, other func(name []byte), options ...jsontext.Options) error {
	return Read(text, func(d *jsontext.Decoder) error {
		return ReadMembers(d, func(name []byte, value jsontext.Value) error {
			switch string(name) {
			case "jsonrpc":
			case "id":
				m.ID = value
			case "method":
				return ReadText(value, &m.Method)
			case "params":
				m.Params = value
			case "result":
				m.Result = value
			case "error":
				return json.Unmarshal(value, &m.Error, options...)
			default:
				if other != nil {
					other(name)
				}
			}
			return nil
		})
	}, options...)
}

// maxBatch is how many messages of a batch are read.
const maxBatch = 1024

// ParseMessages are the messages of a text, one but for a batch; ok is false if it is not JSON-RPC. size is that of
// the text on the wire.
func ParseMessages(text []byte, size int64) (list []Message, ok bool) {
	data := bytes.TrimSpace(text)
	if len(data) == 0 {
		return nil, true
	}
	if data[0] != '[' {
		m, ok := ReadMessage(bytes.Clone(data))
		if !ok || !m.Valid() {
			return nil, false
		}
		m.Size = size
		return []Message{m}, true
	}
	if Unmarshal(data, &list) != nil || len(list) == 0 {
		return nil, false
	}
	list = list[:min(len(list), maxBatch)]
	for i := range list {
		if !list[i].Valid() {
			return nil, false
		}
		list[i].Size = size / int64(len(list))
	}
	return list, true
}

// Valid reports whether the message is a request, a notification or an answer.
func (m *Message) Valid() bool {
	return m.Method != "" || m.Result != nil || m.Error != nil
}

// IsRequest reports whether the message asks for an answer.
func (m *Message) IsRequest() bool { return m.Method != "" && m.Key() != "" }

// MaxID is how long the id of a request may be to be waited for.
const MaxID = 256

// Key is the id as the message has it; "" without one.
func (m *Message) Key() string {
	if len(m.ID) == 0 || len(m.ID) > MaxID || m.ID.Kind() == 'n' {
		return ""
	}
	return string(m.ID)
}

// IDText is the id as the conventions want it, without quotes.
func (m *Message) IDText() string { return Unquoted(m.Key()) }

// SkimmedMessage is what was found in a text of a size that was too long.
func SkimmedMessage(s *skim.Skimmer, size int64) (m Message, ok bool) {
	m.Skim, m.Size = s, size
	if id := s.Found["id"]; id != "" {
		m.ID = jsontext.Value(id)
	}
	m.Method = Unquoted(s.Found["method"])
	if code, err := strconv.ParseInt(s.Found["error.code"], 10, 64); err == nil {
		m.Error = &RPCError{code, Unquoted(s.Found["error.message"])}
	}
	return m, m.Method != "" || m.ID != nil
}

// Unquoted is a JSON string's value; the text itself if it is none.
func Unquoted(text string) string {
	if len(text) < 2 || text[0] != '"' {
		return text
	}
	value, err := jsontext.AppendUnquote(nil, text)
	if err != nil {
		return text[1 : len(text)-1]
	}
	return string(value)
}

// Params are the members of a request's parameters that matter here.
type Params struct {
	Name           string         `json:"name"`
	URI            string         `json:"uri"`
	Arguments      jsontext.Value `json:"arguments"`
	Cursor         string         `json:"cursor"`
	RequestID      jsontext.Value `json:"requestId"`
	RequestState   string         `json:"requestState"`
	InputResponses jsontext.Value `json:"inputResponses"`
	Task           jsontext.Value `json:"task"`
	TaskID         jsontext.Value `json:"taskId"`
	Meta           Meta           `json:"_meta"`

	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    jsontext.Value `json:"capabilities"`
	ClientInfo      Peer           `json:"clientInfo"`
	ServerInfo      Peer           `json:"serverInfo"` // of an answer to initialize
}

// Peer is what a client or a server says of itself.
type Peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Meta is a request's _meta. It carries trace context by the propagators' own keys
// (SEP-414).
type Meta map[string]jsontext.Value

// Get is the value of a key that is a string.
func (m Meta) Get(key string) string { return Unquoted(string(m[key])) }

// Set does nothing: _meta is only read.
func (m Meta) Set(string, string) {}

// Keys are all keys.
func (m Meta) Keys() []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// CarriesInput reports whether a call says that the server has asked for input.
func (p *Params) CarriesInput() bool { return p.RequestState != "" || len(p.InputResponses) > 0 }

// CarriesMore reports whether what comes of a call depends on more than its arguments: on input, or on that it is to be
// a task, of which a first answer tells no more than its id.
func (p *Params) CarriesMore() bool { return p.CarriesInput() || len(p.Task) > 0 }

// read reads the parameters of a call, which are a part of a text that was read. The names of those that no policy reads are
// given to other.
func (p *Params) read(text []byte, other func(name []byte)) error {
	more := false // of other requests
	err := Read(text, func(d *jsontext.Decoder) error {
		return ReadMembers(d, func(name []byte, value jsontext.Value) error {
			switch string(name) {
			case "name":
				return ReadText(value, &p.Name)
			case "arguments":
				p.Arguments = value
			case "requestState":
				return ReadText(value, &p.RequestState)
			case "inputResponses":
				p.InputResponses = value
			case "task":
				p.Task = value
			case "_meta":
				return Unmarshal(value, &p.Meta)
			default:
				more = true
				other(name)
			}
			return nil
		})
	}, Lenient)
	if err != nil || more {
		*p = Params{}
		return Unmarshal(text, p)
	}
	return nil
}

// ReadParams are those of a request or notification; what cannot be read is left out.
func (m *Message) ReadParams() (p Params) {
	if m.params != nil {
		return *m.params
	}
	if m.Skim == nil {
		if len(m.Params) > 0 && m.Params.Kind() == '{' {
			_ = p.read(m.Params, func([]byte) {})
		}
		return p
	}
	found := m.Skim.Found
	p.Name, p.URI = Unquoted(found["params.name"]), Unquoted(found["params.uri"])
	p.RequestState = Unquoted(found["params.requestState"])
	for _, key := range []string{"traceparent", "tracestate", "baggage", mcp.MetaKeyProtocolVersion} {
		if v := found["params._meta."+key]; v != "" {
			if p.Meta == nil {
				p.Meta = Meta{}
			}
			p.Meta[key] = jsontext.Value(v)
		}
	}
	return p
}

// Answer is what matters of a result, whatever request it answers.
type Answer struct {
	IsError       bool           `json:"isError"`
	ResultType    string         `json:"resultType"`
	RequestState  string         `json:"requestState"`
	InputRequests jsontext.Value `json:"inputRequests"`
	Task          jsontext.Value `json:"task"`
}

// ReadResult is what matters of an answer; what cannot be read is left out.
func (m *Message) ReadResult() (a Answer) {
	if m.Skim == nil {
		_ = a.read(m.Result)
		return a
	}
	found := m.Skim.Found
	return Answer{
		IsError: found["result.isError"] == "true", ResultType: Unquoted(found["result.resultType"]),
		RequestState: Unquoted(found["result.requestState"]),
	}
}

func (a *Answer) read(result []byte) error {
	return Read(result, func(d *jsontext.Decoder) error {
		return ReadMembers(d, func(name []byte, value jsontext.Value) error {
			switch string(name) {
			case "isError":
				return ReadFlag(value, &a.IsError)
			case "resultType":
				return ReadText(value, &a.ResultType)
			case "requestState":
				return ReadText(value, &a.RequestState)
			case "inputRequests":
				a.InputRequests = value
			case "task":
				a.Task = value
			}
			return nil
		})
	}, Lenient)
}

// AsksForInput reports whether the server waits for more before it answers.
func (a *Answer) AsksForInput() bool {
	return a.ResultType == "input_required" || len(a.InputRequests) > 0 && a.InputRequests.Kind() == '{'
}

// task is what the answer to a call says of the task that it became.
type task struct {
	ID string `json:"taskId"`
}

// TaskID is the id of the task that an answer gives; "" if it gives none.
func (a *Answer) TaskID() string {
	if len(a.Task) == 0 || a.Task.Kind() != '{' {
		return ""
	}
	var t task
	if Unmarshal(a.Task, &t) != nil {
		return ""
	}
	return t.ID
}
