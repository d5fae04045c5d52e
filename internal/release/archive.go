// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// archived is a file of an archive.
type archived struct {
	name, file string
	mode       fs.FileMode
}

// writeArchive writes a zip archive for Windows, else a compressed tar archive. All files have the
// same time and no owner.
func writeArchive(w io.Writer, t target, content []archived, modified time.Time) error {
	if t.os == "windows" {
		return writeZip(w, content, modified)
	}
	compressed := gzip.NewWriter(w)
	out := tar.NewWriter(compressed)
	for _, c := range content {
		text, err := os.ReadFile(c.file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: c.name, Size: int64(len(text)), Mode: int64(c.mode), ModTime: modified, Format: tar.FormatPAX}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func writeZip(w io.Writer, content []archived, modified time.Time) error {
	out := zip.NewWriter(w)
	for _, c := range content {
		text, err := os.ReadFile(c.file)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: c.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(c.mode)
		f, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	return out.Close()
}

// writeSums writes checksums in the form of sha256sum.
func writeSums(w io.Writer, sums map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if _, err := fmt.Fprintf(w, "%s  %s\n", sums[name], name); err != nil {
			return err
		}
	}
	return nil
}
