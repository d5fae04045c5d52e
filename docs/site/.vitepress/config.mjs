// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// The site of the documentation: the pages of docs, in the order and kinds of docs/README.md.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const site = dirname(dirname(fileURLToPath(import.meta.url)));
const docs = dirname(site);

// Pages are built from a copy below node_modules' folder, where their imports of Vue are found.
const copy = join(site, "dist/pages");
rmSync(join(site, "dist"), { recursive: true, force: true });
for (const name of readdirSync(docs)) {
  if (name !== "site") cpSync(join(docs, name), join(copy, name), { recursive: true });
}
cpSync(join(site, "dashboard.png"), join(copy, "site/dashboard.png"));

const row = /^\| \[([^\]]+)\]\(([^)#]+)\) \| (tutorial|how-to|reference|explanation) \| ([^|]*) \|$/gm;
const pages = [...readFileSync(join(docs, "README.md"), "utf8").matchAll(row)].map(([, title, file, kind, about]) => ({
  title, file, kind, about: about.trim(), link: "/" + file.replace(/\.md$/, ""),
}));
const kinds = { tutorial: "Tutorial", "how-to": "How-to", reference: "Reference", explanation: "Explanation" };

export default {
  title: "toolscope",
  description: "toolscope observes and governs the tool calls of AI agents.",
  srcDir: copy,
  outDir: join(site, "dist/html"),
  cacheDir: join(site, ".vitepress/cache"),
  rewrites: { "README.md": "index.md" },
  ignoreDeadLinks: [/localhost:/, /\.\.\/(exporters|examples|CONTRIBUTING|SECURITY)/],
  markdown: {
    config(md) { // braces in code are text, not expressions of Vue
      const code = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (...args) => code(...args).replace("<code", "<code v-pre");
    },
  },
  vite: { publicDir: join(site, "public") },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [{ text: "Recording", link: "/demo.html", target: "_self" }],
    sidebar: Object.entries(kinds).map(([kind, text]) => ({
      text, collapsed: false, items: pages.filter((p) => p.kind === kind).map((p) => ({ text: p.title, link: p.link })),
    })),
  },
  // llms.txt lists the pages for models; llms-full.txt has their text.
  buildEnd({ outDir }) {
    const lines = pages.map((p) => `- [${p.title}](${p.file}): ${p.kind}; ${p.about}`);
    writeFileSync(join(outDir, "llms.txt"),
      "# toolscope\n\n> toolscope observes and governs the tool calls of AI agents.\n\n## Documentation\n\n" + lines.join("\n") + "\n");
    writeFileSync(join(outDir, "llms-full.txt"),
      pages.map((p) => `<!-- ${p.file} -->\n` + readFileSync(join(docs, p.file), "utf8")).join("\n"));
  },
};
