// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/toolscope/toolscope/store/redis"
)

// server is a redis-server of a test.
type server struct {
	addr  string
	dir   string
	args  []string
	cmd   *exec.Cmd
	proxy *proxy
}

// startServer starts a server in a temporary folder. Without redis-server the test is skipped, unless TOOLSCOPE_E2E is 1.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	addr, port := freePort(t)
	return newServer(t, addr, append([]string{"--port", port}, args...)...)
}

// freePort is an address at which nothing listens, and its port.
func freePort(t testing.TB) (addr, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	l.Close()
	_, port, _ = net.SplitHostPort(addr)
	return addr, port
}

// newServer starts a server that listens there.
func newServer(t testing.TB, addr string, args ...string) *server {
	t.Helper()
	if _, err := exec.LookPath(serverBinary); err != nil {
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			t.Fatalf("%s: %v", serverBinary, err)
		}
		t.Skipf("%s is not installed", serverBinary)
	}
	s := &server{addr: addr, dir: t.TempDir()}
	s.args = append([]string{"--bind", "127.0.0.1", "--dir", s.dir, "--save", "",
		"--appendonly", "no", "--dbfilename", "dump.rdb", "--loglevel", "warning"}, args...)
	s.start(t)
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
		s.kill()
	})
	return s
}

// serverBinary is redis-server, or what TOOLSCOPE_REDIS_SERVER names: valkey-server.
var serverBinary = cmp.Or(os.Getenv("TOOLSCOPE_REDIS_SERVER"), "redis-server")

// start starts the server, and waits until it answers.
func (s *server) start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(serverBinary, s.args...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the server answers", func() bool {
		c, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// admin is a plain client of the server, with time enough.
func (s *server) admin(t testing.TB) *goredis.Client {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: s.addr, ReadTimeout: 20 * time.Second, DisableIdentity: true})
	t.Cleanup(func() { c.Close() })
	return c
}

func (s *server) flush(t testing.TB) {
	t.Helper()
	if err := s.admin(t).FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
}

// until polls until ok.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited 20 s for: %s", what)
		}
		time.Sleep(10 * time.Millisecond) // another process: there is nothing to wait for but the clock
	}
}

func secret() []byte {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return b
}

// open opens a store with time enough for a busy machine.
func open(t testing.TB, s *server, change ...func(*redis.Options)) *redis.Store {
	t.Helper()
	o := redis.Options{URL: "redis://" + s.addr, Secrets: [][]byte{secret()}, Timeout: 5 * time.Second}
	for _, c := range change {
		c(&o)
	}
	store, err := redis.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// dump is all that the server holds, as its file and as its answers.
func (s *server) dump(t testing.TB) string {
	t.Helper()
	c := s.admin(t)
	ctx := context.Background()
	if err := c.Save(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(s.dir, "dump.rdb"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.Write(file)
	keys, err := c.Keys(ctx, "*").Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("got %d keys, %v", len(keys), err)
	}
	for _, k := range keys {
		ttl, err := c.PTTL(ctx, k).Result()
		if err != nil || ttl <= 0 {
			t.Errorf("%s: got the time to live %v, %v, want one", k, ttl, err)
		}
		v, err := c.Dump(ctx, k).Result()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, k, v)
		switch kind, _ := c.Type(ctx, k).Result(); kind { // as a dump may be compressed
		case "string":
			fmt.Fprintln(&out, c.Get(ctx, k).Val())
		case "hash":
			fmt.Fprintln(&out, c.HGetAll(ctx, k).Val())
		case "list":
			fmt.Fprintln(&out, c.LRange(ctx, k, 0, -1).Val())
		case "zset":
			fmt.Fprintln(&out, c.ZRange(ctx, k, 0, -1).Val())
		case "set":
			fmt.Fprintln(&out, c.SMembers(ctx, k).Val())
		}
	}
	return out.String()
}
