// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser is a page of a real browser, driven by Chromium's DevTools protocol.
type browser struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	last int
	// faults are what the page reported: exceptions, and what its policy forbids.
	faults []string
}

// browse opens an address in a browser of its own.
func browse(t *testing.T, binary, address string) *browser {
	t.Helper()
	dir := scratch(t)
	cmd := exec.Command(
		binary,
		"--headless=new",
		"--no-sandbox",
		"--disable-gpu",
		"--no-first-run",
		"--disable-background-networking",
		"--remote-debugging-port=0",
		"--remote-allow-origins=*",
		"--window-size=1280,1600",
		"--user-data-dir="+dir,
		"about:blank",
	)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	port := ""
	for deadline := time.Now().Add(time.Minute); port == ""; time.Sleep(50 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if line, _, whole := strings.Cut(string(text), "\n"); whole {
			port = line
		}
		if time.Now().After(deadline) {
			t.Fatal("the browser told no port after a minute")
		}
	}
	var targets []struct{ Type, WebSocketDebuggerURL string }
	for deadline := time.Now().Add(time.Minute); len(targets) == 0; time.Sleep(50 * time.Millisecond) {
		if err := get(t, "http://127.0.0.1:"+port+"/json/list", &targets); err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	b := &browser{t: t}
	b.connect(strings.TrimPrefix(targets[0].WebSocketDebuggerURL, "ws://"))
	b.call("Runtime.enable", nil)
	b.call("Log.enable", nil)
	b.open(address)
	return b
}

// open loads an address.
func (b *browser) open(address string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": address})
	b.wait(`document.readyState === "complete" && location.href !== "about:blank"`)
}

// scratch is a directory for a browser, whose children write on for a moment when it
// has ended: t.TempDir would fail.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for deadline := time.Now().Add(10 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(deadline); {
			time.Sleep(100 * time.Millisecond)
		}
	})
	return dir
}

// connect opens the web socket at host/path.
func (b *browser) connect(to string) {
	b.t.Helper()
	host, path, _ := strings.Cut(to, "/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	b.conn, b.in = conn, bufio.NewReader(conn)
	fmt.Fprintf(
		conn,
		"GET /%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "+
			"13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		path,
		host,
	)
	answer, err := http.ReadResponse(b.in, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		b.t.Fatalf("the browser's web socket: %v, %v", answer, err)
	}
}

// call calls a method and returns its result.
func (b *browser) call(method string, params any) json.RawMessage {
	b.t.Helper()
	result, err := b.try(method, params)
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// try is call for what may fail, as everything does while a page is left for
// another.
func (b *browser) try(method string, params any) (json.RawMessage, error) {
	b.t.Helper()
	b.last++
	text, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": params})
	if err != nil {
		b.t.Fatal(err)
	}
	frame := binary.BigEndian.AppendUint64([]byte{0x81, 0x80 | 127}, uint64(len(text)))
	frame = append(append(frame, 0, 0, 0, 0), text...) // masked with zeros
	_ = b.conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := b.conn.Write(frame); err != nil {
		b.t.Fatal(err)
	}
	for {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
			Method string
			Params struct {
				Entry            struct{ Level, Source, Text string }
				ExceptionDetails struct {
					Text      string
					Exception struct{ Description string }
				}
			}
		}
		if err := json.Unmarshal(b.read(), &answer); err != nil {
			b.t.Fatal(err)
		}
		if answer.ID != b.last { // an event
			switch p := answer.Params; {
			case answer.Method == "Runtime.exceptionThrown":
				b.faults = append(b.faults, p.ExceptionDetails.Text+" "+p.ExceptionDetails.Exception.Description)
			case answer.Method == "Log.entryAdded" && p.Entry.Source == "security":
				b.faults = append(b.faults, p.Entry.Text)
			}
			continue
		}
		if answer.Error != nil {
			return nil, errors.New(answer.Error.Message)
		}
		return answer.Result, nil
	}
}

// read reads a message of the web socket; the browser does not mask them.
func (b *browser) read() (message []byte) {
	b.t.Helper()
	for {
		var head [2]byte
		if _, err := io.ReadFull(b.in, head[:]); err != nil {
			b.t.Fatal(err)
		}
		length := uint64(head[1] & 0x7f)
		switch length {
		case 126:
			var n uint16
			if err := binary.Read(b.in, binary.BigEndian, &n); err != nil {
				b.t.Fatal(err)
			}
			length = uint64(n)
		case 127:
			if err := binary.Read(b.in, binary.BigEndian, &length); err != nil {
				b.t.Fatal(err)
			}
		}
		part := make([]byte, length)
		if _, err := io.ReadFull(b.in, part); err != nil {
			b.t.Fatal(err)
		}
		message = append(message, part...)
		if head[0]&0x80 != 0 {
			return message
		}
	}
}

// text is the value of an expression that is a text.
func (b *browser) text(expression string) string {
	b.t.Helper()
	text, err := b.evaluate(expression)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

func (b *browser) evaluate(expression string) (string, error) {
	b.t.Helper()
	result, err := b.try("Runtime.evaluate", map[string]any{"expression": expression})
	if err != nil {
		return "", err
	}
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails any
	}
	if err := json.Unmarshal(result, &answer); err != nil || answer.ExceptionDetails != nil {
		return "", fmt.Errorf("%v %v", err, answer.ExceptionDetails)
	}
	return fmt.Sprint(answer.Result.Value), nil
}

// press presses a key and lets it go.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	text := ""
	switch {
	case key == "Enter":
		text = "\r"
	case len(key) == 1:
		text = key
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call(
			"Input.dispatchKeyEvent",
			map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text},
		)
	}
}

// wait waits until a page is loaded whole and a condition holds: after a click
// location is that of the new page before its last elements are there.
func (b *browser) wait(condition string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		holds, err := b.evaluate(`String(document.readyState === "complete" && (` + condition + `))`)
		if holds == "true" {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("after a minute it is not so: %s (%s, %v)", condition, holds, err)
		}
	}
}
