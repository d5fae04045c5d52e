// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/policies"
)

// kinds are the types of attributes by the methods of attribute.Key and the functions of package attribute.
var kinds = map[string]string{
	"String": "string", "Int": "int", "Int64": "int", "Bool": "bool", "Float64": "double",
	"StringSlice": "string[]", "IntSlice": "int[]", "Int64Slice": "int[]", "BoolSlice": "bool[]", "Float64Slice": "double[]",
}

// adders are the types of attributes by the functions of toolscope that add one with a key.
var adders = map[string]string{
	"text": "string", "number": "int", "float": "double", "yes": "bool", "seconds": "double", "count": "int",
	"name": "string", "identifier": "string", "add": "string",
}

// setByApplications are the types of attributes that toolscope reads and applications set.
var setByApplications = map[string]string{"toolscope.keep": "bool"}

// otherTags are the meanings of the tags that are recorded elsewhere than by a policy of the table.
var otherTags = policies.Tags{
	"adapter.panic": "function of an adapter that panicked",
	"mcp.definition": "changed if the tool's definition has changed in the session, not_accepted if it is not the " +
		"one that was accepted",
	"mcp.failover": "name of the server that failed before another answered",
	"mcp.hung":     "yes, for a call that ran longer than the limit",
	"mcp.target":   "name of the server that the manager called",
	"switch":       "tool_off, if an operator has disabled the tool",
}

// policyTags are the meanings of the tags that policies record (toolkit.Record.Tag).
func policyTags() policies.Tags {
	all := maps.Clone(otherTags)
	for _, p := range policies.All {
		maps.Copy(all, p.Tags)
	}
	return all
}

// convKey is an attribute of OpenTelemetry's conventions as their Go package documents it.
type convKey struct{ key, typ, meaning, stability string }

var conventionText = regexp.MustCompile(`It represents (?:the )?(.*?)\.? Type: (.*?) RequirementLevel: .*? Stability: (\w+)`)

func conventionKeys(s *source) map[string]*convKey {
	all := map[string]*convKey{}
	for _, file := range s.files {
		for _, v := range values(file) {
			m := conventionText.FindStringSubmatch(v.meaning)
			if key := s.literalKey(v.value); key != "" && m != nil {
				typ := strings.ToLower(m[2])
				if typ == "enum" {
					typ = "string"
				}
				all[strings.TrimSuffix(v.name.Name, "Key")] = &convKey{key, typ, m[1], strings.ReplaceAll(strings.ToLower(m[3]), "_", " ")}
			}
		}
	}
	return all
}

// sharedKeys are the keys of package internal/keys by their names.
func (r *reference) sharedKeys() map[string]string {
	shared := map[string]string{}
	for _, s := range r.packages {
		if s.dir != "internal/keys" {
			continue
		}
		for _, file := range s.files {
			for _, v := range values(file) {
				key := s.literalKey(v.value)
				if sel, ok := v.value.(*ast.SelectorExpr); ok && isSelector(sel, "semconv", sel.Sel.Name) {
					key = r.semconv[strings.TrimSuffix(sel.Sel.Name, "Key")].key
				}
				shared[v.name.Name] = key
			}
		}
	}
	return shared
}

// literalKey is the key of attribute.Key("key"), "" for other expressions.
func (s *source) literalKey(expr ast.Expr) string {
	call, ok := expr.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !isSelector(call.Fun, "attribute", "Key") {
		return ""
	}
	return s.text(call.Args[0])
}

func isSelector(expr ast.Expr, qualifier, name string) bool {
	f, ok := expr.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != name {
		return false
	}
	x, ok := f.X.(*ast.Ident)
	return ok && x.Name == qualifier
}

// attribute is what the code says of a key.
type attribute struct {
	at       string // where it is declared first
	meanings []string
	types    []string
	setBy    []string

	convention string // its meaning where nothing of toolscope declares it
}

func addOnce(list *[]string, s string) {
	if s != "" && !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// attributes finds the keys that packages declare, and of which type they set them.
func (r *reference) attributes() string {
	found := map[string]*attribute{}
	get := func(key, at string) *attribute {
		if found[key] == nil {
			found[key] = &attribute{at: at}
			r.known[key] = true
		}
		return found[key]
	}
	tags, events := map[string]string{}, map[string]string{}
	meanings := map[string]string{}
	shared := r.sharedKeys()
	for _, s := range r.packages {
		declaredAt := map[ast.Expr]bool{}
		for _, file := range s.files {
			for _, v := range values(file) {
				key := s.literalKey(v.value)
				if sel, ok := v.value.(*ast.SelectorExpr); ok && isSelector(sel, "semconv", sel.Sel.Name) {
					if c := r.semconv[strings.TrimSuffix(sel.Sel.Name, "Key")]; c != nil {
						key = c.key
					}
				}
				if sel, ok := v.value.(*ast.SelectorExpr); ok && isSelector(sel, "keys", sel.Sel.Name) {
					key = shared[sel.Sel.Name]
				}
				if key == "" {
					meanings[s.text(v.value)] = v.meaning
					continue
				}
				declaredAt[v.value] = true
				s.keys[v.name.Name] = key
				addOnce(&get(key, s.position(v.name)).meanings, v.meaning)
			}
		}
		s.calls(func(qualifier, name string, call *ast.CallExpr) {
			text := ""
			if len(call.Args) > 0 {
				text = s.text(call.Args[0])
			}
			switch {
			case qualifier == "attribute" && (kinds[name] != "" || name == "Key") && text != "" && !declaredAt[call]:
				r.t.Errorf("%s: attribute %q: is a literal in a call, want a constant with a comment that says what it means",
					s.position(call), text)
			case name == "Tag" && len(call.Args) == 2 && text != "":
				tags[text] = s.position(call)
			case name == "AddEvent":
				events[text] = s.position(call)
			}
		})
		for _, file := range s.files {
			r.types(s, file, get, shared, declaredAt, tags)
		}
	}
	var rows [][]string
	for key, a := range found {
		if typ := setByApplications[key]; typ != "" {
			a.types, a.setBy = []string{typ}, []string{"the application"}
		}
		if tag, ok := strings.CutPrefix(key, "toolscope."); ok && len(a.types) == 0 && policyTags()[tag] != "" {
			continue // declared to be read
		}
		if len(a.meanings) == 0 {
			a.meanings = []string{a.convention}
		}
		if len(a.meanings) != 1 || a.meanings[0] == "" {
			r.t.Errorf("%s: attribute %q: got the comments %q, want one that says what it means", a.at, key, a.meanings)
			continue
		}
		if len(a.types) != 1 {
			r.t.Errorf("%s: attribute %q: got the types %q, want one", a.at, key, a.types)
		}
		rows = append(rows, []string{code(key), strings.Join(a.types, ", "), stability(key), strings.Join(a.setBy, ", "),
			a.meanings[0]})
	}
	out := section(2, "Span and metric attributes",
		"*content* means that the attribute is set only if content capture is on. Attributes of the packages "+
			"`exporters` and\n`toolscope` are on metrics and resources, all others on spans, and those that "+
			"[Metrics](telemetry-metrics.md) lists on metrics too.",
		[]string{"attribute", "type", "stability", "set by", "meaning"}, rows)
	rows = nil
	for event, at := range events {
		if meanings[event] == "" {
			r.t.Errorf("%s: event %q: got no comment, want a constant with one that says what it means", at, event)
		}
		rows = append(rows, []string{code(event), stability(event), meanings[event]})
	}
	out += section(3, "Span events", "", []string{"event", "stability", "meaning"}, rows)
	r.bothWays("tag", "in the policy's row of internal/policies/table.go, or in otherTags of internal/repocheck", tags,
		slices.Sorted(maps.Keys(policyTags())))
	rows = nil
	for tag, meaning := range policyTags() {
		rows = append(rows, []string{code("toolscope." + tag), meaning})
	}
	return out + section(3, "Attributes of policies",
		"Policies record tags. A tag `loop.kind` is the span attribute `toolscope.loop.kind`, the JSON tag `loop.kind`, and\n"+
			"the labels `key` and `value` of the Prometheus series `toolscope_policies_total`. All are strings and experimental.\n"+
			"Policies of an application can add others.", []string{"attribute", "meaning"}, rows)
}

// types finds of which types a file sets attributes.
func (r *reference) types(
	s *source, file *ast.File, get func(key, at string) *attribute, shared map[string]string,
	declaredAt map[ast.Expr]bool, tags map[string]string,
) {
	set := func(expr ast.Expr, typ string) {
		key := ""
		switch x := expr.(type) {
		case *ast.Ident:
			key = s.keys[x.Name]
		case *ast.SelectorExpr:
			if isSelector(x, "keys", x.Sel.Name) {
				key = shared[x.Sel.Name]
			}
		}
		if typ != "" && key != "" {
			a := get(key, s.position(expr))
			addOnce(&a.types, typ)
			addOnce(&a.setBy, s.name())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				if f, ok := n.Fun.(*ast.Ident); ok {
					for _, arg := range n.Args {
						set(arg, adders[f.Name])
					}
				}
				return true
			}
			set(f.X, kinds[f.Sel.Name])
			for _, arg := range n.Args {
				set(arg, adders[f.Sel.Name])
			}
		case *ast.CompositeLit: // keys with their texts, for a loop
			for _, e := range n.Elts {
				if _, list := n.Type.(*ast.ArrayType); !list {
					set(e, "string")
				}
			}
		case *ast.AssignStmt: // the key of one of two texts
			for _, e := range n.Rhs {
				set(e, "string")
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Key" && strings.HasPrefix(s.dir, "middleware") && s.text(n.Value) != "" {
				tags[s.text(n.Value)] = s.position(n)
			}
		case *ast.SelectorExpr:
			c := r.semconv[strings.TrimSuffix(n.Sel.Name, "Key")]
			if c == nil || !isSelector(n, "semconv", n.Sel.Name) {
				return true
			}
			a := get(c.key, s.position(n))
			if got := stability(c.key); got != c.stability {
				r.t.Errorf("%s: %s: got the stability %s in the table of internal/repocheck, want %s as the conventions have it",
					s.position(n), c.key, got, c.stability)
			}
			if !declaredAt[n] {
				a.convention = c.meaning
				addOnce(&a.types, c.typ)
				addOnce(&a.setBy, s.name())
			}
		}
		return true
	})
}
