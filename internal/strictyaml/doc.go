// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package strictyaml reads one YAML document into a struct and reports everything that is wrong
// with it: file, line, field, what was found and what is wanted.
//
// Unknown fields, fields that come twice, values of a wrong type, null, anchors, aliases, merge
// keys and tags are errors. go.yaml.in/yaml parses the text. Its own strict decoding
// (KnownFields, UniqueKeys) is not used: its errors have no field path and no list of what is
// allowed, and it accepts null for every type.
//
// Fields of structs have the tag yaml, the field's name in a file. A text field may have the tags
// allowed (a list of values with commas) and name (any text: the value has no blanks at its
// ends). The tag keys:"any" on a mapping allows keys that are not names. See [Reader] for
// the types.
//
// A field of the kind uint8 is an enumeration: its text is one of the tag allowed, its value the place in that list.
// The tag unit names one of [Reader.Units]. The fields of a struct with the tag yaml:",inline" count as the fields of the
// struct around it; yaml:"-" leaves a field to the program.
package strictyaml
