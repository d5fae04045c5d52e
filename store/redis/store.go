// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// A Store is a connection to Redis; make one with [Open]. Its methods return the stores of the policies. Safe for
// concurrent use.
type Store struct {
	client  goredis.UniversalClient
	options Options
	sealers []*sealer
	tag     string // in front of each key, so that all are on one node of a cluster
	circuit circuit
	tls     bool
	met     atomic.Bool // whether the server has ever answered
	secrets secrets

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   sync.WaitGroup

	epoch epoch

	evictionAsked atomic.Int64 // when the server was asked whether it may evict keys, nanoseconds since 1970
}

// kinds of keys.
const (
	kindEntry     = 'c' // answers of the cache, and its counters
	kindCounter   = 'n'
	kindEpoch     = 'e'
	kindRate      = 'r'
	kindAccount   = 'b'
	kindReceipt   = 'u'
	kindFlight    = 'd' // answers of flights
	kindLease     = 'l'
	kindFence     = 'f'
	kindWrites    = 'w' // counters of flights
	kindGrant     = 'g'
	kindRequests  = 'q' // requests for approval, by their ids
	kindExpiries  = 'x' // of requests
	kindCall      = 'k' // the open request for a call
	kindEvents    = 'h' // of an agent's calls
	kindLastEvent = 'm'
	kindCircuit   = 'o'
)

var quiet = sync.OnceFunc(func() { goredis.SetLogger(noLogger{log.New(io.Discard, "", 0)}) })

// noLogger takes the client's messages, which would go to standard error and may name keys: failures are reported by
// health instead.
type noLogger struct{ *log.Logger }

func (noLogger) Printf(context.Context, string, ...any) {}

// Open connects to Redis. An error names the option that is wrong. A server that does not answer, or that refuses the
// password, is no error: calls go on as without it, and [Store.Problems] says what is wrong.
func Open(o Options) (*Store, error) {
	o, client, err := o.check()
	if err != nil {
		return nil, err
	}
	s := &Store{options: o, tag: "{" + o.Namespace + "}:"}
	for _, secret := range o.Secrets {
		sealer, err := newSealer(secret)
		if err != nil {
			return nil, err
		}
		s.sealers = append(s.sealers, sealer)
	}
	s.options.Secrets, s.options.Password, s.options.URL = nil, "", ""
	quiet()
	s.client = goredis.NewUniversalClient(client)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.circuit.store, s.tls = s, client.TLSConfig != nil
	s.secrets.set(s.sealers)
	if err := s.check(s.ctx); err != nil {
		s.circuit.openFor(err)
	}
	return s, nil
}

// Close ends the connections and what runs in the background. Policies then go on as without the store.
func (s *Store) Close() error {
	s.circuit.close()
	s.cancel()
	s.done.Wait()
	return s.client.Close()
}

// Problems are why the store is not used now, or is not shared with others that use the server; none if all is well.
// They end without a call: a server that has failed is asked each second until it answers.
func (s *Store) Problems() (all []string) {
	s.introduceAgain()
	if err := s.circuit.problem(); err != nil {
		all = append(all, err.Error())
	}
	if err := s.secrets.problem(); err != nil {
		all = append(all, err.Error())
	}
	return all
}

// warn logs a change of the store's state; cause may be nil.
func (s *Store) warn(message string, cause error) {
	if l := s.options.Logger; l != nil && cause != nil {
		l.Warn(message, "namespace", s.options.Namespace, "cause", cause.Error())
	} else if l != nil {
		l.Warn(message, "namespace", s.options.Namespace)
	}
}

// check reports whether the server can be used: it can be read and written.
func (s *Store) check(ctx context.Context) error {
	if err := s.introduce(ctx); err != nil {
		switch err = describe(err); {
		case s.met.Load():
		case err == errNoAnswer && s.tls:
			err = errors.New("redis: no answer in time: does the server speak TLS?")
		case err == errClosed && !s.tls:
			err = errors.New("redis: the server closed the connection: does it want TLS (rediss:// in the URL)?")
		}
		return err
	}
	s.met.Store(true)
	return s.checkEviction(ctx)
}

// evictionError says that the server may evict keys, and by which policy.
type evictionError string

func (e evictionError) Error() string {
	return "redis: got maxmemory-policy " + string(e) + ", want noeviction: counts that are evicted start at zero"
}

// checkEviction asks the server whether it may evict keys: then the error is an evictionError.
func (s *Store) checkEviction(ctx context.Context) error {
	s.evictionAsked.Store(time.Now().UnixNano())
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	text, err := s.client.Info(ctx, "memory").Result()
	if err != nil {
		var server goredis.Error
		if errors.As(err, &server) { // the ACL user may not ask
			return nil
		}
		return describe(err)
	}
	if policy, limit := infoField(text, "maxmemory_policy"), infoField(text, "maxmemory"); limit != "" && limit != "0" &&
		policy != "" && policy != "noeviction" {
		return evictionError(policy)
	}
	return nil
}

func infoField(text, name string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

var (
	errNoAnswer = errors.New("redis: no answer in time")
	errNoRedis  = errors.New("redis: what listens there is not a Redis server: check host and port")
	errClosed   = errors.New("redis: the server closed the connection")
)

// describe is an error in few words, for health reports.
func describe(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded) || strings.Contains(text, "i/o timeout"):
		return errNoAnswer
	case strings.HasPrefix(text, "OOM"):
		return errors.New("redis: the server's memory is full (maxmemory)")
	case strings.HasPrefix(text, "WRONGPASS"), strings.HasPrefix(text, "NOAUTH"),
		strings.Contains(text, "invalid username-password"):
		return errors.New("redis: the server refuses the user or password")
	case strings.Contains(text, "does not look like a TLS handshake"):
		return errors.New("redis: the server does not speak TLS: want redis:// in the URL, or its port for TLS")
	case strings.HasPrefix(text, "redis: invalid reply"), strings.HasPrefix(text, "redis: can't parse"):
		return errNoRedis
	case errors.Is(err, io.EOF), strings.Contains(text, "connection reset"):
		return errClosed
	}
	return fmt.Errorf("redis: %.160s", text)
}

// run runs a script within the time limit. keys are pairs of kind and logical name.
func (s *Store) run(ctx context.Context, script *goredis.Script, keys []key, args ...any) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.circuit.away(); err != nil {
		return nil, err
	}
	s.introduceAgain()
	wait, fair := s.waitOf(ctx)
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	names := make([]string, 0, len(keys)*len(s.sealers))
	for _, k := range keys {
		for _, sealer := range s.sealers {
			names = append(names, s.tag+sealer.name(k.kind, k.name))
		}
	}
	result, err := script.Run(limited, s.client, names, append([]any{len(s.sealers)}, args...)...).Result()
	if errors.Is(err, goredis.Nil) {
		result, err = nil, nil
	}
	if err != nil {
		over := ctx.Err()
		if deadline, ok := ctx.Deadline(); over == nil && ok && !time.Now().Before(deadline) {
			over = context.DeadlineExceeded // the socket's deadline came before the context's timer
		}
		if over == nil {
			return nil, s.circuit.failed(err)
		}
		if fair && errors.Is(over, context.DeadlineExceeded) {
			_ = s.circuit.failed(over)
		}
		return nil, over
	}
	s.circuit.answered()
	return result, nil
}

// waitOf is how long the server has for an answer, and whether that is long enough to say something about the server
// if none comes. A policy that waits as long as the store does gets the failure a little before it gives up, so that
// it is counted before the next call.
func (s *Store) waitOf(ctx context.Context) (wait time.Duration, fair bool) {
	wait = s.options.Timeout
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return wait, true
	}
	left := time.Until(deadline)
	if left < wait/2 {
		return wait, false
	}
	return min(wait, left*19/20), true
}

// key is a kind and a logical name.
type key struct {
	kind byte
	name string
}

// script makes a script of a body that finds its keys in K and its arguments in A. Where there are two secrets, each
// key has two names: a key that has the second one only is given the first one.
func script(body string) *goredis.Script {
	return goredis.NewScript(`
local K, A, step = {}, {}, tonumber(ARGV[1])
for i = 1, #KEYS, step do
	K[#K + 1] = KEYS[i]
	if step == 2 and redis.call('EXISTS', KEYS[i]) == 0 and redis.call('EXISTS', KEYS[i + 1]) == 1 then
		redis.call('RENAME', KEYS[i + 1], KEYS[i])
	end
end
for i = 2, #ARGV do A[#A + 1] = ARGV[i] end
` + body)
}

func millis(d time.Duration) int64 { return max(1, d.Milliseconds()) }
