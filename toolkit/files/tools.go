// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/json"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

const pathMember = `"path": {"type": "string", "description": "Path relative to the first root, or name:path for another root."}`

const (
	listSchema = `{"type":"object","properties":{` + pathMember + `,
  "depth": {"type": "integer", "minimum": 1, "maximum": 50, "default": 3, "description": "How many levels are shown."}
},"additionalProperties":false}`
	readSchema = `{"type":"object","properties":{` + pathMember + `,
  "start_line": {"type": "integer", "minimum": 1, "default": 1, "description": "The first line, counted from 1."},
  "end_line": {"type": "integer", "minimum": 1, "description": "The last line; the file's last if left out."}
},"required":["path"],"additionalProperties":false}`
	searchSchema = `{"type":"object","properties":{` + pathMember + `,
  "text": {"type": "string", "description": "Text to find in lines, case counts."},
  "pattern": {"type": "string", "description": "Glob of file names: *.go anywhere, or src/**/*.go from the path on. With text, only these files are searched."}
},"anyOf":[{"required":["text"]},{"required":["pattern"]}],"additionalProperties":false}`
	infoSchema  = `{"type":"object","properties":{` + pathMember + `},"required":["path"],"additionalProperties":false}`
	writeSchema = `{"type":"object","properties":{` + pathMember + `,
  "content": {"type": "string"},
  "mode": {"type": "string", "enum": ["create", "overwrite", "append"], "default": "overwrite", "description": "create refuses a file that exists."}
},"required":["path","content"],"additionalProperties":false}`
	editSchema = `{"type":"object","properties":{` + pathMember + `,
  "source_text": {"type": "string", "minLength": 1, "description": "The text to replace, without line numbers. It must stand in the file once: add lines around it until it does."},
  "target_text": {"type": "string", "description": "The text to put in its place."}
},"required":["path","source_text","target_text"],"additionalProperties":false}`
)

// Tools are file_list, file_read, file_search, file_info, file_write and
// file_edit. The last two are left out if every root is read-only.
func (t *Toolset) Tools() []toolkit.Tool {
	if t == nil {
		return nil
	}
	tools := []toolkit.Tool{
		toolkit.NewTool("file_list", "Lists a directory as a tree.", t.list, reads("List files", listSchema, 10*time.Second)),
		toolkit.NewTool("file_read", "Reads a text file, or some lines of it, with line numbers.", t.read, reads("Read a file", readSchema, 10*time.Second)),
		toolkit.NewTool("file_search", "Finds files by name, or lines of text files by text, below a path; at most 100 results. Directories named .git are passed over.", t.search,
			reads("Search files", searchSchema, 30*time.Second)),
		toolkit.NewTool("file_info", "Tells a file's type, size, mode and time of change.", t.info, reads("File information", infoSchema, 10*time.Second)),
	}
	for _, r := range t.roots {
		if !r.ReadOnly {
			return append(tools,
				toolkit.NewTool("file_write", "Writes a text file; missing directories are made.", t.write, writes("Write a file", writeSchema)),
				toolkit.NewTool("file_edit", "Replaces a piece of text that stands in a file once, and answers with the difference. Line endings stay as they are.", t.edit, writes("Edit a file", editSchema)))
		}
	}
	return tools
}

func reads(title, schema string, timeout time.Duration) toolkit.ToolOption {
	return func(d *toolkit.Definition) {
		d.Title, d.InputSchema, d.Timeout = title, json.RawMessage(schema), timeout
		d.Category, d.Risk = "files", toolkit.RiskLow
		d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.No
	}
}

func writes(title, schema string) toolkit.ToolOption {
	return func(d *toolkit.Definition) {
		d.Title, d.InputSchema, d.Timeout = title, json.RawMessage(schema), 10*time.Second
		d.Category, d.Risk, d.CacheTTL = "files", toolkit.RiskMedium, -1
		d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.No, toolkit.No, toolkit.Yes, toolkit.No
	}
}
