// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
)

// HeadSize is the length of a record's head: the length and the CRC-32C of the body, both
// little-endian.
const HeadSize = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is a record: its head and its body.
func frame(body []byte) []byte {
	b := make([]byte, HeadSize, HeadSize+len(body))
	binary.LittleEndian.PutUint32(b, uint32(len(body)))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(body, castagnoli))
	return append(b, body...)
}

// readFile reads the records of one file.
func (j *Journal) readFile(name string, read func(body []byte) error) {
	data, err := os.ReadFile(filepath.Join(j.options.Directory, name))
	if err != nil {
		j.Note("%s: could not be read: %v", name, err)
		return
	}
	rest, ok := bytes.CutPrefix(data, []byte(FileHead))
	if !ok {
		j.Note("%s: got another beginning, want %q: left out", name, strings.TrimSpace(FileHead))
		return
	}
	for len(rest) > 0 {
		at := len(data) - len(rest)
		if len(rest) < HeadSize || uint64(len(rest)-HeadSize) < uint64(binary.LittleEndian.Uint32(rest)) {
			j.Note("%s: the record at byte %d is torn: %d bytes left out", name, at, len(rest))
			return
		}
		n := int(binary.LittleEndian.Uint32(rest))
		sum, body := binary.LittleEndian.Uint32(rest[4:]), rest[HeadSize:HeadSize+n]
		rest = rest[HeadSize+n:]
		if crc32.Checksum(body, castagnoli) != sum {
			j.Note("%s: the record at byte %d has a wrong checksum: left out", name, at)
			continue
		}
		if err := read(body); err != nil {
			j.Note("%s: the record at byte %d: %v: left out", name, at, err)
		}
	}
}
