// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sessionsClient plays random sessions with the TypeScript SDK: it makes calls, some at once, and gives some up at any
// point. Each other call has to be answered, with its own number, and nothing may be answered twice. It prints the calls
// that it gave up, and those of them that were answered later, so that the SDK knew no such call any more.
const sessionsClient = `
const [,, modules, sessions, kind, ...server] = process.argv;
const sdk = modules + "/@modelcontextprotocol/sdk/dist/esm/client/";
const { Client } = await import(sdk + "index.js");
const { StdioClientTransport } = await import(sdk + "stdio.js");
const { StreamableHTTPClientTransport } = await import(sdk + "streamableHttp.js");
let seed = 26;
const random = (n) => Math.floor((seed = (seed * 1103515245 + 12345) % 2147483648) / 65536) % n;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let connected = 0, streams = 0;
// fetchCounted counts the requests whose answers have not ended: a client that closes ends their streams early itself.
const fetchCounted = async (url, options) => {
  streams++;
  let stream = false;
  try {
    const resp = await fetch(url, options);
    stream = resp.headers.get("content-type")?.startsWith("text/event-stream");
    if (!stream) return resp;
    const body = resp.body.pipeThrough(new TransformStream({ flush() { streams--; } }));
    return new Response(body, { status: resp.status, headers: resp.headers });
  } finally {
    if (!stream) streams--;
  }
};
const connect = async () => {
  const client = new Client({ name: "typescript", version: "1" });
  client.prefix = kind.endsWith("http") ? "session-" + ++connected + "/" : "/";
  client.onerror = (error) => {
    const text = String(error);
    if (text.includes("AbortError")) return; // of its own close
    const late = text.match(/unknown message ID: .*"id":(\d+)/);
    console.log(late ? "late " + client.prefix + late[1] : text);
  };
  await client.connect(kind.endsWith("http")
    ? new StreamableHTTPClientTransport(new URL(server[0]), { fetch: fetchCounted })
    : new StdioClientTransport({ command: server[0], args: server.slice(1), env: process.env }));
  return client;
};
let client = await connect(), answered = 0, stopped = 0;
for (let session = 0; session < +sessions; session++) {
  if (kind.endsWith("http") && session > 0) client = await connect();
  const calls = [];
  for (let i = 0, most = 4 + random(8); i < most; i++) {
    const stop = new AbortController(), n = session * 100 + i, gaveUp = random(3) === 0;
    const params = { name: "wait", arguments: { n, ms: random(3) } };
    const key = client.prefix + client._requestMessageId;
    const call = client.callTool(params, undefined, { signal: stop.signal }).then(
      (result) => {
        answered++;
        if (result.content[0].text !== String(n)) console.log("answer to " + n + ": " + result.content[0].text);
      },
      (error) => {
        stopped++;
        console.log("stopped " + key);
        if (!gaveUp) console.log("call " + n + ": " + error);
      });
    calls.push(call);
    if (gaveUp) {
      if (random(2)) await sleep(random(4));
      stop.abort();
    }
    if (random(2)) await call;
  }
  await Promise.all(calls);
  await client.ping();
  for (let waited = 0; streams > 0 && waited < 5000; waited++) await sleep(1);
  if (kind.endsWith("http")) await client.close();
}
if (!kind.endsWith("http")) await client.close();
const good = answered > stopped && stopped > 0;
console.log(good ? "done" : answered + " answers, " + stopped + " calls that were given up");
`

// sessionsServer is a server over pipes, or over HTTP with streams. It writes a file with each call that came after its
// cancellation or before an earlier one, and each stream that ended early, and another one with each call that it
// answered.
const sessionsServer = `
import { createInterface } from "node:readline";
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
const [,, wrong, port] = process.argv;
const tell = (text) => appendFileSync(wrong, text + "\n");
const answered = (id) => appendFileSync(wrong + ".answered", id + "\n");
const over = new Set();
let latest = 0, sessions = 0;
const handle = (session, m, answer) => {
  if (m.method === "notifications/cancelled") over.add(session + "/" + m.params.requestId);
  if (m.id === undefined) return;
  const result = (r) => answer(JSON.stringify({ jsonrpc: "2.0", id: m.id, result: r }));
  if (m.method === "initialize") {
    const { protocolVersion } = m.params;
    return result({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  }
  if (m.method !== "tools/call") return result({});
  if (over.has(session + "/" + m.id)) tell("call " + m.id + " came after its cancellation");
  if (!port && m.id < latest) tell("call " + m.id + " came after call " + latest);
  latest = m.id;
  const { n, ms } = m.params.arguments;
  setTimeout(() => {
    if (over.has(session + "/" + m.id)) return answer("");
    answered(session + "/" + m.id);
    result({ content: [{ type: "text", text: String(n) }] });
  }, ms);
};
if (!port) {
  createInterface({ input: process.stdin }).on("line", (line) =>
    handle("", JSON.parse(line), (text) => text && process.stdout.write(text + "\n")));
} else {
  createServer((req, resp) => {
    let body = "";
    req.on("data", (piece) => body += piece).on("end", () => {
      if (req.method !== "POST") return resp.writeHead(req.method === "DELETE" ? 200 : 405).end();
      const m = JSON.parse(body);
      const session = req.headers["mcp-session-id"] ?? "session-" + ++sessions;
      if (m.id === undefined) {
        handle(session, m);
        return resp.writeHead(202).end();
      }
      resp.writeHead(200, { "Content-Type": "text/event-stream", "Mcp-Session-Id": session });
      resp.flushHeaders();
      let ended = false;
      resp.on("close", () => ended || tell("the stream of " + m.id + " ended early"));
      handle(session, m, (text) => {
        ended = true;
        resp.end(text && "data: " + text + "\n\n");
      });
    });
  }).listen(+port, "127.0.0.1");
}
`

// TestSessionsOfTypeScript: what the TypeScript SDK gives up behind policies is not sent afterwards, calls over pipes
// keep their order, and no stream ends early. Answers that come after the client gave a call up are no more than in a
// direct connection: once each, of calls that the server answered before it learnt of that. TOOLSCOPE_SESSIONS says how
// many sessions.
func TestSessionsOfTypeScript(t *testing.T) {
	modules, binary, dir := npmPackages(t), command(t), t.TempDir()
	files := map[string]string{}
	for name, text := range map[string]string{
		"client.mjs": sessionsClient, "server.mjs": sessionsServer,
		"policies.yaml": "policies:\n  recover: {}\n  permit: {}\n",
	} {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_STATE_HOME", dir)
	sessions := cmp.Or(os.Getenv("TOOLSCOPE_SESSIONS"), "20")
	for _, kind := range []string{"pipes", "http", "direct pipes", "direct http"} {
		t.Run(kind, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			run := func(script string, args ...string) *exec.Cmd {
				cmd := node(ctx, t, "", args...)
				cmd.Args[1] = files[script]
				return cmd
			}
			wrong := filepath.Join(dir, "wrong-"+strings.ReplaceAll(kind, " ", "-"))
			proxy := []string{binary, "mcp", "--config", files["policies.yaml"]}
			direct := strings.HasPrefix(kind, "direct")
			server := run("server.mjs", wrong).Args
			if !direct {
				server = append(append(proxy, "--"), server...)
			}
			args := append([]string{modules, sessions, kind}, server...)
			if strings.HasSuffix(kind, "http") {
				server, front := freeAddress(t), freeAddress(t)
				launch(t, run("server.mjs", wrong, server[len("127.0.0.1:"):]))
				waitForListener(t, server)
				if direct {
					front = server
				} else {
					launch(t, exec.Command(binary, append(proxy[1:], "--target", "http://"+server+"/mcp", "--listen", front)...))
					waitForListener(t, front)
				}
				args = []string{modules, sessions, kind, "http://" + front + "/mcp"}
			}
			out, err := run("client.mjs", args...).Output()
			if err != nil || !strings.HasSuffix(string(out), "done\n") {
				t.Errorf("the client: %v\n%s", err, out)
			}
			// In a direct connection over HTTP a call may arrive after its cancellation: they are two requests.
			if text, err := os.ReadFile(wrong); !direct && !os.IsNotExist(err) {
				t.Errorf("the server: %v\n%s", err, text)
			}
			answered, err := os.ReadFile(wrong + ".answered")
			if err != nil {
				t.Fatal(err)
			}
			checkLate(t, strings.Fields(string(answered)), string(out))
		})
	}
}

// checkLate checks what a client printed: each late answer is one of a call that the client gave up and that the server
// answered, and there is no other one.
func checkLate(t *testing.T, answered []string, printed string) {
	t.Helper()
	stopped, late := map[string]bool{}, map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(printed, "done\n"), "\n")
	for _, line := range lines {
		if key, ok := strings.CutPrefix(line, "stopped "); ok {
			stopped[key] = true
		}
	}
	crossed := 0
	for _, key := range answered {
		if stopped[key] {
			crossed++
		}
	}
	for _, line := range lines {
		key, isLate := strings.CutPrefix(line, "late ")
		switch {
		case line == "" || strings.HasPrefix(line, "stopped "):
		case !isLate:
			t.Errorf("the client: %s", line)
		case late[key] || !stopped[key] || !slices.Contains(answered, key):
			t.Errorf("%s: got an answer twice, or one that a direct connection would not have", key)
		}
		if isLate {
			late[key] = true
		}
	}
	t.Logf("%d calls given up, %d of them answered, at most as many late answers: %d", len(stopped), crossed, len(late))
}
