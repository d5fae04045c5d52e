// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/toolscope/toolscope/internal/filelock"
)

// Credentials are what a sign-in gave, for one resource and one authorization server. A sign-in at another
// authorization server replaces them whole: nothing of the old ones is sent there.
type Credentials struct {
	Target   string `json:"target"`   // the URL of the MCP server
	Issuer   string `json:"issuer"`   // the authorization server
	Resource string `json:"resource"` // what the tokens are for; "" if the server was asked for none

	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`
	TokenURL     string           `json:"token_url"`
	RevokeURL    string           `json:"revoke_url,omitempty"`
	Scopes       []string         `json:"scopes,omitempty"`

	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Expires      time.Time `json:"expires,omitzero"` // zero if the server did not say
	Renewed      time.Time `json:"renewed"`
	SignedIn     time.Time `json:"signed_in"`

	// Reach is how far inside of private networks the server was at the sign-in; see reach.
	Reach reach `json:"reach"`
}

// maxLeeway is how long before its end a token is refreshed; one that lives for a short time, at the end of the last
// quarter of it.
const maxLeeway = 20 * time.Second

// expired reports whether a token is over, or is about to be.
func (c *Credentials) expired() bool {
	return !c.Expires.IsZero() && time.Until(c.Expires) < min(maxLeeway, c.Expires.Sub(c.Renewed)/4)
}

// A store is the directory of the files.
type store struct{ dir string }

// maxFile is how large a file may be, in bytes.
const maxFile = 1 << 20

// openStore opens the store in a directory; "" is that of the user's state.
func openStore(dir string) (store, error) {
	if dir != "" {
		return store{dir}, nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return store{}, fmt.Errorf("signin: got no $XDG_STATE_HOME and no home directory: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return store{filepath.Join(state, "toolscope", "oauth")}, nil
}

// path is the file of a key, which says what is signed in to and how.
func (s store) path(key ...string) string {
	h := sha256.New()
	for _, part := range key {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return filepath.Join(s.dir, hex.EncodeToString(h.Sum(nil)[:16])+".json")
}

// errCorrupt says that a file has no credentials that can be read. A sign-in replaces it.
var errCorrupt = errors.New("got no credentials of toolscope's, want such a file or none")

// open returns the credentials of a file that is the user's alone; nil if there is none. say reports a mode that
// was repaired.
func open(path string, say func(format string, args ...any)) (*Credentials, os.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("signin: %s: got no regular file, want one: delete it, and sign in again", path)
	}
	if err := guarded(filepath.Dir(path), 0o700, say); err != nil {
		return nil, nil, err
	}
	if err := guarded(path, 0o600, say); err != nil {
		return nil, nil, err
	}
	if info, err = os.Lstat(path); err != nil { // with its mode now
		return nil, nil, err
	}
	had, err := read(path, info)
	return had, info, err
}

// guarded has a file or a directory be the user's alone, and reports a mode that it repaired.
func guarded(path string, mode os.FileMode, say func(format string, args ...any)) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	changed, err := guard(path, info, mode)
	if changed != "" {
		say("%s", changed)
	}
	return err
}

// read reads a file.
func read(path string, info os.FileInfo) (*Credentials, error) {
	if info.Size() > maxFile {
		return nil, fmt.Errorf("signin: %s: %w: it has %d bytes, at most %d can be", path, errCorrupt, info.Size(), maxFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := new(Credentials)
	if json.Unmarshal(text, c) != nil || c.Target == "" { // its error may quote the text
		return nil, fmt.Errorf("signin: %s: %w", path, errCorrupt)
	}
	return c, nil
}

// write puts a file in the place of what is there, whole or not at all, for the user alone as its directory is.
func write(path string, c *Credentials) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".toolscope-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// lockPause is how often a file's lock is tried.
const lockPause = 100 * time.Millisecond

// lock has one process at a time change a file. The function returned unlocks it.
func lock(ctx context.Context, path string, say func(format string, args ...any)) (func(), error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := guarded(filepath.Dir(path), 0o700, say); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if filelock.Try(f) == nil {
			return func() { _ = f.Close() }, nil // which unlocks it
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(
				fmt.Errorf("another toolscope is signing in to the same server: %w", ctx.Err()),
				f.Close(),
			)
		case <-time.After(lockPause):
		}
	}
}

// List returns what is signed in to, in a directory as in [Options], and what cannot be read of it. say reports a mode
// that was repaired.
func List(dir string, say func(format string, args ...any)) (list []*Credentials, problems error) {
	s, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		c, _, err := open(filepath.Join(s.dir, e.Name()), say)
		if problems = errors.Join(problems, err); c != nil {
			list = append(list, c)
		}
	}
	return list, problems
}
