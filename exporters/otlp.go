// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// The OTLP protocols. OpenTelemetry's own default is HTTP; ours is gRPC, which is
// what Jaeger and the collectors listen for at the port that everybody writes, 4317.
const (
	grpcProtocol = "grpc"
	httpProtocol = "http/protobuf"
)

// forSignal is the value of the signal's own variable, else of the general one,
// and the name of the one that it came from. The signal is TRACES or METRICS.
func forSignal(signal, suffix string) (name, value string) {
	name = "OTEL_EXPORTER_OTLP_" + signal + "_" + suffix
	if value = get(name); value != "" {
		return name, value
	}
	name = "OTEL_EXPORTER_OTLP_" + suffix
	return name, get(name)
}

func endpoint(signal string) (name, value string) { return forSignal(signal, "ENDPOINT") }

func protocol(signal string) string {
	if _, value := forSignal(signal, "PROTOCOL"); value != "" {
		return strings.ToLower(value)
	}
	return grpcProtocol
}

// sentTo is where traces go over OTLP, without user and password.
func sentTo() string {
	_, e := endpoint("TRACES")
	if e == "" { // the exporters' own defaults
		if protocol("TRACES") == grpcProtocol {
			return "https://localhost:4317"
		}
		return "https://localhost:4318"
	}
	u, err := url.Parse(e)
	if err != nil {
		return e
	}
	u.User = nil
	return u.String()
}

// httpClient is a client of our own for OTLP over HTTP: the exporters' default
// keeps connections, and with them goroutines, for a minute and a half after its
// shutdown. What is no OTLP is no success for it.
func (p *Providers) httpClient(signal string) (*http.Client, error) {
	tlsConfig, err := tlsConfig(signal)
	if err != nil {
		return nil, err
	}
	return p.newHTTPClient(tlsConfig, cmp.Or(timeoutOf(signal), otlpTimeout)), nil
}

// timeoutOf is what the variables say; 0 if they do not.
func timeoutOf(signal string) time.Duration {
	_, value := forSignal(signal, "TIMEOUT")
	ms, _ := strconv.Atoi(value) // checked
	return time.Duration(ms) * time.Millisecond
}

// otlpTimeout is the OTLP specification's default.
const otlpTimeout = 10 * time.Second

func (p *Providers) newHTTPClient(tlsConfig *tls.Config, timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = tlsConfig
	p.idle = append(p.idle, transport.CloseIdleConnections)
	return &http.Client{Transport: spool.Transport(transport), Timeout: timeout}
}

// tlsConfig is nil if no variable asks for anything.
func tlsConfig(signal string) (*tls.Config, error) {
	_, roots := forSignal(signal, "CERTIFICATE")
	_, certificate := forSignal(signal, "CLIENT_CERTIFICATE")
	_, key := forSignal(signal, "CLIENT_KEY")
	if certificate == "" || key == "" {
		certificate, key = "", ""
	}
	c, err := newTLS(roots, certificate, key)
	if err != nil {
		return nil, fmt.Errorf("exporters: certificates of OTEL_EXPORTER_OTLP_%s_*, or of OTEL_EXPORTER_OTLP_*: %w", signal, err)
	}
	return c, nil
}

// newTLS reads the files, whose names may be ""; it is nil if all are.
func newTLS(roots, certificate, key string) (*tls.Config, error) {
	if roots == "" && certificate == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if roots != "" {
		pem, err := os.ReadFile(roots)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("got %s, want a file of PEM certificates", roots)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// certificates checks a file of PEM certificates.
func certificates(path string) string {
	pem, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("a file of PEM certificates: %v", reason(err))
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return "a file of PEM certificates"
	}
	return ""
}
