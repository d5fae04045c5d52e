// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxConfig is how large a configuration may be, in bytes.
const maxConfig = 4 << 20

// ReadConfig reads a configuration file as [ParseConfig] does, with the process's
// environment.
func ReadConfig(path string) (*Config, error) {
	info, err := os.Stat(path) // before it is opened: that waits for the writer of a pipe
	if err != nil {
		return nil, fmt.Errorf("manager: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("manager: %s: got a directory, a pipe or a device, want a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("manager: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("manager: %w", err)
	}
	return ParseConfig(text, os.LookupEnv)
}

// ParseConfig reads the JSON that MCP clients have in common:
//
//	{"mcpServers": {
//	  "files": {"command": "npx", "args": ["-y", "server"], "env": {"KEY": "${KEY}"}, "cwd": "${HOME:-/tmp}"},
//	  "web":   {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
//	}}
//
// Fields of a server: command, args, env, inheritEnv, cwd; url, headers, and type (or
// transport), which is "stdio", "http" (or "streamable-http", "streamableHttp") or "sse";
// disabled or enabled, priority, category, protocolVersion, startTimeout and
// requestTimeout ("30s"), and sandbox {networkAccess, fileSystemAccess, allowedPaths} (see
// [Sandbox]; what it does not allow is not allowed). Other fields are listed in [Config].Unknown, except
// in a sandbox, where they are an error, as WebSocket is.
//
// In strings of command, args, env, cwd, url, headers and allowedPaths, ${VAR} is the variable that
// lookup finds, and ${VAR:-text} is text if it is not set or empty; nil finds none. A
// variable that is not set and has no text is an error, but for a disabled server. An error
// names the field, never a value.
func ParseConfig(text []byte, lookup func(name string) (value string, ok bool)) (*Config, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("manager: configuration: got more than %d bytes, want at most as many", maxConfig)
	}
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	p := &parser{lookup: lookup, config: new(Config)}
	if err := p.file(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))); err != nil {
		return nil, fmt.Errorf("manager: configuration: %w", err)
	}
	return p.config, nil
}

func (p *parser) file(text []byte) error {
	top, err := members(text)
	if err != nil {
		return err
	}
	var servers []member
	found := false
	for _, m := range top {
		if m.name != "mcpServers" {
			p.unknown(m.name)
			continue
		}
		found = true
		if servers, err = members(m.value); err != nil {
			return fmt.Errorf("mcpServers: %w", err)
		}
	}
	if !found {
		return errors.New(`mcpServers: got none, want an object of servers by name`)
	}
	for _, m := range servers {
		s, err := p.server(m.name, m.value)
		if err != nil {
			return err
		}
		p.config.Servers = append(p.config.Servers, s)
	}
	return nil
}

// maxUnknown is how many unknown fields are listed.
const maxUnknown = 100

func (p *parser) unknown(field string) {
	if len(p.config.Unknown) < maxUnknown {
		p.config.Unknown = append(p.config.Unknown, clip(field))
	}
}

// raw is a server as the file has it.
type raw struct {
	Server
	kind              string
	disabled, enabled *bool
	sandbox           json.RawMessage
}

// read reads an object's fields to where they belong.
func (p *parser) read(at string, text []byte, fields map[string]any, unknown func(field string) error) error {
	list, err := members(text)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	for _, m := range list {
		into, known := fields[m.name]
		if !known {
			err = unknown(at + "." + clip(m.name))
		} else if err = decode(m.value, into); err != nil {
			err = fmt.Errorf("%s.%s: %w", at, m.name, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) server(name string, text []byte) (Server, error) {
	at := "mcpServers." + clip(name)
	r := raw{Server: Server{Name: name}}
	err := p.read(at, text, r.fields(), func(field string) error { p.unknown(field); return nil })
	if err == nil && r.sandbox != nil {
		r.Sandbox, err = p.sandbox(at+".sandbox", r.sandbox)
	}
	if err != nil {
		return Server{}, err
	}
	if r.enabled != nil && r.disabled != nil && *r.enabled == *r.disabled {
		return Server{}, fmt.Errorf("%s.enabled: got the opposite of disabled as well, want one of them", at)
	}
	r.Disabled = r.disabled != nil && *r.disabled || r.enabled != nil && !*r.enabled
	if err := p.expand(&r.Server); err != nil {
		return Server{}, fmt.Errorf("%s.%w", at, err)
	}
	if err := r.checkKind(); err != nil {
		return Server{}, fmt.Errorf("%s.%w", at, err)
	}
	return r.Server, r.check()
}

// fields are where the values of a server's fields belong.
func (r *raw) fields() map[string]any {
	return map[string]any{
		"command": &r.Command, "args": &r.Args, "env": &r.Env, "inheritEnv": &r.InheritEnv, "cwd": &r.Dir,
		"url": &r.URL, "headers": &r.Headers, "type": &r.kind, "transport": &r.kind,
		"disabled": &r.disabled, "enabled": &r.enabled, "priority": &r.Priority, "category": &r.Category,
		"protocolVersion": &r.ProtocolVersion, "startTimeout": &r.StartTimeout, "requestTimeout": &r.RequestTimeout,
		"sandbox": &r.sandbox,
	}
}

// checkKind compares the transport that is named with what else is given.
func (r *raw) checkKind() error {
	switch r.kind {
	case "":
		if r.Command == "" && r.URL == "" {
			return errors.New(`command: got neither command nor url, want one of them`)
		}
		if r.Command != "" && r.URL != "" {
			return errors.New(`command: got url as well, want one of them`)
		}
	case "stdio":
		if r.Command == "" || r.URL != "" {
			return errors.New(`type: got "stdio" without a command, or with a url, want a command`)
		}
	case "http", "streamable-http", "streamableHttp", "sse":
		if r.URL == "" || r.Command != "" {
			return fmt.Errorf(`type: got %q without a url, or with a command, want a url`, r.kind)
		}
		r.SSE = r.kind == "sse"
	case "ws", "websocket":
		return fmt.Errorf(`type: got %q, want "stdio", "http" or "sse": WebSocket is no transport of the protocol`, r.kind)
	default:
		return fmt.Errorf(`type: got %.40q, want "stdio", "http" or "sse"`, r.kind)
	}
	return nil
}

// sandbox reads the sandbox of a configuration: what it does not allow is not allowed.
func (p *parser) sandbox(at string, text []byte) (*Sandbox, error) {
	b := new(Sandbox)
	fields := map[string]any{"networkAccess": &b.Network, "fileSystemAccess": &b.Files, "allowedPaths": &b.Paths}
	return b, p.read(at, text, fields, func(field string) error { // an unknown wall
		return fmt.Errorf("%s: got a field that is not known, want networkAccess, fileSystemAccess or allowedPaths", field)
	})
}
