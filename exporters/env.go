// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// wrong is the error for an environment variable.
func wrong(name, got, want string) error {
	return fmt.Errorf("exporters: %s: got %.80q, want %s", name, strings.TrimSpace(got), want)
}

// A check returns what a value should be instead, "" if it is good.
type check func(value string) (want string)

// variables lists what the OpenTelemetry packages read and, where a value is bad,
// either pass over in silence or report to the global error handler once at run
// time.
var variables = []struct {
	names []string
	check check
}{
	{[]string{"OTEL_TRACES_SAMPLER"}, oneOf("always_on", "always_off", "traceidratio",
		"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio")},
	{[]string{"OTEL_TRACES_SAMPLER_ARG"}, ratio},
	{[]string{"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
		"OTEL_BLRP_SCHEDULE_DELAY", "OTEL_BLRP_EXPORT_TIMEOUT", "OTEL_BLRP_MAX_QUEUE_SIZE", "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE",
		"OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT"}, atLeast(1)},
	{[]string{"OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_EVENT_COUNT_LIMIT",
		"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
		"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
		"OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT", "OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT"}, atLeast(-1)}, // -1: no limit
	{[]string{"OTEL_RESOURCE_ATTRIBUTES"}, pairs},
	{[]string{"OTEL_METRICS_EXEMPLAR_FILTER"}, oneOf("always_on", "always_off", "trace_based")},
	{[]string{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"}, oneOf("cumulative", "delta", "lowmemory")},
	{[]string{"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"},
		oneOf("explicit_bucket_histogram", "base2_exponential_bucket_histogram")},
	{[]string{"OTEL_EXPORTER_PROMETHEUS_PORT"}, between(0, 65535)},
	{otlp("PROTOCOL"), oneOf(grpcProtocol, httpProtocol)},
	{otlp("COMPRESSION"), oneOf("gzip", "none")},
	{otlp("TIMEOUT"), atLeast(1)},
	{otlp("INSECURE"), oneOf("true", "false")},
	{otlp("CERTIFICATE"), certificates},
	{otlp("CLIENT_CERTIFICATE"), certificates},
	{otlp("CLIENT_KEY"), readable},
}

// signals are what is sent over OTLP, as the variables name them.
var signals = []string{"TRACES", "METRICS", "LOGS"}

// otlp are the spellings of a variable of the OTLP exporters.
func otlp(suffix string) []string {
	names := []string{"OTEL_EXPORTER_OTLP_" + suffix}
	for _, signal := range signals {
		names = append(names, "OTEL_EXPORTER_OTLP_"+signal+"_"+suffix)
	}
	return names
}

// get is a variable's value; an empty one counts as not set, as the OpenTelemetry
// specification says.
func get(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// checkEnvironment joins the errors of all variables that are set and bad.
func checkEnvironment() error {
	var errs []error
	for _, v := range variables {
		for _, name := range v.names {
			value := get(name)
			if value == "" {
				continue
			}
			if want := v.check(value); want != "" {
				errs = append(errs, wrong(name, value, want))
			}
		}
	}
	for _, name := range otlp("HEADERS") {
		errs = append(errs, checkHeaders(name))
	}
	told := make(map[string]bool) // signals may share the variable
	for _, signal := range signals {
		if err := checkEndpoint(signal); err != nil && !told[err.Error()] {
			told[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// checkBool is the truth value of a variable; the default is false.
func checkBool(name string) (bool, error) {
	switch value := get(name); {
	case strings.EqualFold(value, "true"):
		return true, nil
	case value == "", strings.EqualFold(value, "false"):
		return false, nil
	default:
		return false, wrong(name, value, `"true" or "false"`)
	}
}

// checkHeaders never repeats a value: headers carry credentials.
func checkHeaders(name string) error {
	value := get(name)
	if value == "" {
		return nil
	}
	for i, pair := range strings.Split(value, ",") {
		key, v, found := strings.Cut(pair, "=")
		if _, err := url.PathUnescape(v); !found || strings.TrimSpace(key) == "" || err != nil {
			return fmt.Errorf("exporters: %s: entry %d is no key=value pair with a percent-encoded value (it is "+
				"not shown, since it may be a secret)", name, i+1)
		}
	}
	return nil
}

// checkEndpoint checks what the signal's exporter would connect to.
func checkEndpoint(signal string) error {
	name, value := endpoint(signal)
	if value == "" {
		return nil
	}
	want := "a URL such as http://localhost:4317"
	schemes := []string{"http", "https"}
	if protocol(signal) == grpcProtocol {
		schemes = append(schemes, "unix", "dns")
	}
	u, err := url.Parse(value)
	switch {
	case err != nil:
		return fmt.Errorf("exporters: %s: got a value that is no URL, want %s", name, want)
	case !slices.Contains(schemes, strings.ToLower(u.Scheme)):
		return wrong(name, u.Redacted(), fmt.Sprintf("%s (scheme: %s)", want, strings.Join(schemes, ", ")))
	case strings.HasPrefix(strings.ToLower(u.Scheme), "http") && u.Host == "":
		return wrong(name, u.Redacted(), want+", with a host")
	}
	return nil
}

func oneOf(values ...string) check {
	return func(v string) string {
		if slices.Contains(values, strings.ToLower(v)) {
			return ""
		}
		return "one of " + strings.Join(values, ", ")
	}
}

func atLeast(n int) check { return between(n, int(^uint32(0)>>1)) }

func between(from, to int) check {
	return func(v string) string {
		if n, err := strconv.Atoi(v); err == nil && n >= from && n <= to {
			return ""
		}
		return fmt.Sprintf("a whole number from %d to %d", from, to)
	}
}

// ratio is for the samplers that take a ratio; others take no argument.
func ratio(v string) string {
	if !strings.HasSuffix(strings.ToLower(get("OTEL_TRACES_SAMPLER")), "traceidratio") {
		return ""
	}
	if f, err := strconv.ParseFloat(v, 64); err == nil && f >= 0 && f <= 1 {
		return ""
	}
	return "a number from 0 to 1"
}

func pairs(v string) string {
	for pair := range strings.SplitSeq(v, ",") {
		key, value, found := strings.Cut(pair, "=")
		if _, err := url.PathUnescape(value); !found || strings.TrimSpace(key) == "" || err != nil {
			return fmt.Sprintf("key=value pairs with percent-encoded values, separated by commas; %.40q is none", pair)
		}
	}
	return ""
}

func readable(path string) string {
	if _, err := os.ReadFile(path); err != nil {
		return fmt.Sprintf("a file that can be read: %v", reason(err))
	}
	return ""
}

// reason is err without the path, which the caller tells.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
