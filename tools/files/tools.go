// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/json"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	pathText = `{"type": "string", "minLength": 1, "maxLength": 4096, "description": "Path relative to the ` +
		`first root, or name:path for another root."}`
	pathMember = `"path": ` + pathText
	ignored    = `"ignored": {"type": "boolean", "default": false, "description": "Also what .gitignore and ` +
		`.ignore files name, and .git."}`
	editText = `"source_text": {"type": "string", "minLength": 1, "description": "The text to replace, without line ` +
		`numbers. It must stand in the file once: add lines around it until it does."},
  "target_text": {"type": "string", "description": "The text to put in its place."}`
)

const (
	listSchema = `{"type":"object","properties":{
  "path": {"type": "string", "maxLength": 4096, "default": ".", "description": "Directory, relative to the first ` +
		`root, or name:path for another root."},
  "depth": {"type": "integer", "minimum": 1, "maximum": 50, "default": 3, "description": "How many levels are shown."},
  ` + ignored + `
},"additionalProperties":false}`
	readSchema = `{"type":"object","properties":{` + pathMember + `,
  "start_line": {"type": "integer", "minimum": 1, "default": 1, "description": "The first line, counted from 1."},
  "end_line": {"type": "integer", "minimum": 1, "description": "The last line; the file's last if left out."}
},"required":["path"],"additionalProperties":false}`
	searchSchema = `{"type":"object","properties":{
  "path": {"type": "string", "maxLength": 4096, "default": ".", "description": "Directory or file, relative to the ` +
		`first root, or name:path for another root."},
  "text": {"type": "string", "description": "Text to find in lines."},
  "regexp": {"type": "string", "description": "Or a regular expression (RE2) to find; ^ and $ are the ends of a line."},
  "ignore_case": {"type": "boolean", "default": false, "description": "Whether case does not count in text or regexp."},
  "pattern": {"type": "string", "description": "Glob of file names: *.go or *.{ts,tsx} anywhere, or src/**/*.go ` +
		`from the path on. With text or regexp, only these files are searched."},
  "context": {"type": "integer", "minimum": 0, "maximum": 10, "default": 0, "description": "How many lines around ` +
		`each result are shown."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "How many results are shown."},
  ` + ignored + `
},"anyOf":[{"required":["text"]},{"required":["regexp"]},{"required":["pattern"]}],"additionalProperties":false}`
	infoSchema = `{"type":"object","properties":{
  "path": {"type": "string", "maxLength": 4096, "default": ".", "description": "Path relative to the first root, or ` +
		`name:path for another root."}
},"additionalProperties":false}`
	writeSchema = `{"type":"object","properties":{` + pathMember + `,
  "content": {"type": "string"},
  "mode": {"type": "string", "enum": ["create", "overwrite", "append"], "default": "overwrite", "description": ` +
		`"create refuses a file that exists."}
},"required":["path","content"],"additionalProperties":false}`
	editSchema = `{"type":"object","properties":{` + pathMember + `,
  ` + editText + `,
  "edits": {"type": "array", "minItems": 1, "maxItems": 100, "description": "Several edits instead of one, made in ` +
		`order, all or none.",
    "items": {"type": "object", "properties": {` +
		editText + `}, "required": ["source_text", "target_text"], "additionalProperties": false}}
},"required":["path"],"oneOf":[{"required":["source_text","target_text"]},{"required":["edits"]}],"additionalProperties":false}`
	patchSchema = `{"type":"object","properties":{
  "patch": {"type": "string", "minLength": 1, "description": "A unified diff of one or more files: --- and +++ ` +
		`lines with paths (/dev/null to create or delete), then hunks with lines around each change."}
},"required":["patch"],"additionalProperties":false}`
	mkdirSchema = `{"type":"object","properties":{` + pathMember + `},"required":["path"],"additionalProperties":false}`
	moveSchema  = `{"type":"object","properties":{
  "from": ` + pathText + `,
  "to": ` + pathText + `,
  "overwrite": {"type": "boolean", "default": false, "description": "Whether a file may replace a file."}
},"required":["from","to"],"additionalProperties":false}`
	deleteSchema = `{"type":"object","properties":{` + pathMember + `,
  "recursive": {"type": "boolean", "default": false, "description": "Whether a directory is deleted with all that is in it."}
},"required":["path"],"additionalProperties":false}`
)

// Tools are file_list, file_read, file_search and file_info, and unless every root
// is read-only file_write, file_edit, file_patch, file_mkdir, file_move and file_delete.
func (t *Toolset) Tools() []toolkit.Tool {
	if t == nil {
		return nil
	}
	tools := []toolkit.Tool{
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name: "file_list", Description: "Lists a directory as a tree.",
			Title: "List files", InputSchema: json.RawMessage(listSchema), Timeout: 10 * time.Second,
		}), t.list),
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name: "file_read", Description: "Reads a text file, or some lines of it, with line numbers.",
			Title: "Read a file", InputSchema: json.RawMessage(readSchema), Timeout: 10 * time.Second,
		}), t.read),
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name:        "file_search",
			Description: "Finds files by name, or lines of text files by text or regular expression, below a path.",
			Title:       "Search files", InputSchema: json.RawMessage(searchSchema), Timeout: 30 * time.Second,
		}), t.search),
		toolkit.NewTool(t.reads(toolkit.Definition{
			Name:        "file_info",
			Description: "Tells a file's type, size, encoding, number of lines, mode and time of change.",
			Title:       "File information", InputSchema: json.RawMessage(infoSchema), Timeout: 10 * time.Second,
		}), t.info),
	}
	for _, r := range t.roots {
		if !r.ReadOnly {
			return append(tools, t.writing()...)
		}
	}
	return tools
}

func (t *Toolset) writing() []toolkit.Tool {
	deleted := "Deletes a file or directory for good."
	if t.trash {
		deleted = "Moves a file or directory to the trash, from where file_move takes it back."
	}
	return []toolkit.Tool{
		toolkit.NewTool(t.writes(toolkit.Definition{
			Name: "file_write", Description: "Writes a text file; missing directories are made.",
			Title: "Write a file", InputSchema: json.RawMessage(writeSchema),
			Idempotent: toolkit.No, Destructive: toolkit.Yes,
		}), t.write),
		toolkit.NewTool(t.writes(toolkit.Definition{
			Name: "file_edit",
			Description: "Replaces a piece of text that stands in a file once, or several, and answers with the difference. " +
				"Line endings and encoding stay as they are.",
			Title: "Edit a file", InputSchema: json.RawMessage(editSchema),
			Idempotent: toolkit.No, Destructive: toolkit.Yes,
		}), t.edit),
		toolkit.NewTool(t.writes(toolkit.Definition{
			Name: "file_patch",
			Description: "Applies a unified diff to one or more files, all or none. " +
				"Line numbers are hints; the lines around a change must stand in the file.",
			Title: "Patch files", InputSchema: json.RawMessage(patchSchema),
			Idempotent: toolkit.No, Destructive: toolkit.Yes,
		}), t.patch),
		toolkit.NewTool(t.writes(toolkit.Definition{
			Name: "file_mkdir", Description: "Makes a directory, and those above it.",
			Title: "Make a directory", InputSchema: json.RawMessage(mkdirSchema),
			Idempotent: toolkit.Yes, Destructive: toolkit.No,
		}), t.mkdir),
		toolkit.NewTool(t.writes(toolkit.Definition{
			Name: "file_move", Description: "Moves or renames a file or directory; missing directories are made.",
			Title: "Move a file", InputSchema: json.RawMessage(moveSchema),
			Idempotent: toolkit.No, Destructive: toolkit.Yes,
		}), t.move),
		toolkit.NewTool(t.writes(toolkit.Definition{
			Name: "file_delete", Description: deleted,
			Title: "Delete a file", InputSchema: json.RawMessage(deleteSchema),
			Idempotent: toolkit.No, Destructive: toolkit.HintOf(!t.trash),
		}), t.delete),
	}
}

// reads adds to a definition what the tools that read files have in common.
func (t *Toolset) reads(d toolkit.Definition) toolkit.Definition {
	d.Category, d.Risk, d.Resources, d.WorkDir = "files", toolkit.RiskLow, []string{"files"}, t.roots[0].given
	d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.No
	return d
}

// writes adds to a definition what the tools that write files have in common.
func (t *Toolset) writes(d toolkit.Definition) toolkit.Definition {
	d.Timeout, d.CacheTTL = 30*time.Second, -1
	d.Category, d.Risk, d.Resources, d.WorkDir = "files", toolkit.RiskMedium, []string{"files"}, t.roots[0].given
	d.ReadOnly, d.OpenWorld = toolkit.No, toolkit.No
	return d
}
