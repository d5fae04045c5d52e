// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Records `toolscope demo --once` as an asciicast: node record.mjs TOOLSCOPE FILE.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const [, , toolscope, file] = process.argv;
const begin = performance.now();
const lines = [JSON.stringify({ version: 2, width: 110, height: 40, title: "toolscope demo --once" }), JSON.stringify([0, "o", "$ toolscope demo --once\r\n"])];
const demo = spawn(toolscope, ["demo", "--once"], { env: { ...process.env, COLUMNS: "110", LANG: "C.UTF-8" } });
let pause = 0.5; // seconds that readers get for each part of the output
for (const stream of [demo.stdout, demo.stderr]) {
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    for (const line of text.split("\n").slice(0, -1)) {
      const at = (performance.now() - begin) / 1000 + (pause += 0.05);
      lines.push(JSON.stringify([Number(at.toFixed(2)), "o", line + "\r\n"]));
    }
  });
}
demo.on("close", (code) => {
  if (code !== 0) throw new Error(`toolscope demo: exit code ${code}`);
  writeFileSync(file, lines.join("\n") + "\n");
});
