// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// A File is where a client may keep its servers.
type File struct{ Client, Path string }

// Files are the files of known clients: those of the user, and those of the current
// directory. They need not be there.
func Files() []File {
	var files []File
	add := func(client string, parts ...string) {
		f := File{client, filepath.Join(parts...)}
		if parts[0] != "" && !slices.Contains(files, f) { // in the home directory some are both
			files = append(files, f)
		}
	}
	home, _ := os.UserHomeDir() // without one there are fewer places
	config, _ := os.UserConfigDir()
	dotConfig := os.Getenv("XDG_CONFIG_HOME") // of clients that have it on macOS and Windows, too
	if !filepath.IsAbs(dotConfig) && home != "" {
		dotConfig = filepath.Join(home, ".config")
	}
	codex := os.Getenv("CODEX_HOME")
	if !filepath.IsAbs(codex) && home != "" {
		codex = filepath.Join(home, ".codex")
	}
	add("Claude Desktop", config, "Claude", "claude_desktop_config.json")
	add("Claude Code", home, ".claude.json")
	add("Cursor", home, ".cursor", "mcp.json")
	add("VS Code", config, "Code", "User", "mcp.json")
	add("VS Code", config, "Code", "User", "settings.json")
	add("Windsurf", home, ".codeium", "windsurf", "mcp_config.json")
	add("Gemini CLI", home, ".gemini", "settings.json")
	add("LM Studio", home, ".lmstudio", "mcp.json")
	add("Codex", codex, "config.toml")
	add("Zed", dotConfig, "zed", "settings.json")
	add("opencode", dotConfig, "opencode", "opencode.json")
	add("opencode", dotConfig, "opencode", "opencode.jsonc")
	if runtime.GOOS == "windows" { // there, UserConfigDir is %AppData% as well
		add("Claude Desktop", os.Getenv("LOCALAPPDATA"), "Claude", "claude_desktop_config.json")
		add("Zed", config, "Zed", "settings.json")
	}
	for _, f := range []File{
		{"Claude Code", ".mcp.json"}, {"Cursor", ".cursor/mcp.json"}, {"VS Code", ".vscode/mcp.json"},
		{"VS Code", ".vscode/settings.json"}, {"Gemini CLI", ".gemini/settings.json"}, {"Codex", ".codex/config.toml"},
		{"Zed", ".zed/settings.json"}, {"opencode", "opencode.json"}, {"opencode", "opencode.jsonc"},
	} {
		if path, err := filepath.Abs(filepath.FromSlash(f.Path)); err == nil {
			add(f.Client, path)
		}
	}
	return files
}
