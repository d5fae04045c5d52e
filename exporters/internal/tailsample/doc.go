// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package tailsample keeps the traces that matter and a part of the others.
//
//	sampler, err := tailsample.New(batcher, tailsample.Options{Ratio: 0.05})
//	provider := sdktrace.NewTracerProvider(
//		sdktrace.WithSampler(tailsample.Head()),
//		sdktrace.WithSpanProcessor(sampler))
//
// A [Processor] stands in front of another span processor. It holds a trace's finished
// spans until no span of the trace is running in this process, and then passes on all
// of them or none. A trace matters, and is kept as a whole, if one of its spans
//
//   - failed: its status is an error, or it has error.type or an exception event;
//   - was a call that was refused, that panicked or never ended, or that is part of a
//     loop (toolscope.outcome, toolscope.ending, toolscope.loop.kind);
//   - was a call that ran longer than [Options].Slow says its tool usually does;
//   - was flagged by the host: [KeepKey] is true, or [Options].Keep says so.
//
// From the moment a trace matters its spans are passed on at once. Of the others a
// part is kept, [Options].Ratio, less where they are more than [Options].PerSecond,
// and none that a remote parent left out.
//
// # Probabilities
//
// The decision on the others is consistent by OpenTelemetry's specification of
// probability sampling: the trace's randomness (the last 56 bits of its id, or rv of
// the tracestate) is compared with a threshold, so that processes with the same ratio
// keep the same traces. Kept spans tell their threshold in the tracestate (ot=th:…),
// from which a backend computes how many spans each stands for: th:0 for what
// matters, th:f333 for others at a ratio of 1 in 20. [Head] is the sampler that lets
// the provider record everything, and begins the tracestate with th:0; without
// it the threshold is unknown, and by the specification none is set. Whether a trace
// matters depends on its content and never on its randomness, so that the counts stay
// unbiased.
//
// What travels to other processes does so before the decision: the sampled flag and th:0
// of [Head]. A process below that has a sampler of the same ratio keeps the same
// others; a collector's probabilistic_sampler in its equalizing mode does, too.
//
// # What is guaranteed
//
// No caller waits for more than a lock that is held for a moment, and for the spans of
// its own trace to be handed on. Memory is bounded ([Options]): a trace that has to make
// room is judged by what is known of it, early but by the same rules, and what ends
// later is judged by itself. Decisions are remembered for a bounded number of traces,
// so that a span that comes late shares the fate of its trace, but is kept if it matters
// itself. There is no goroutine; a timer runs while spans are held. Panics of the application's
// functions count as false.
//
// # What is left out
//
// Spans that are held are lost if the process is killed: at most those of traces in
// which nothing has gone wrong so far. Other processes do not learn of an error in
// this one: what is kept of a trace for an error here is what this process saw of it.
package tailsample
