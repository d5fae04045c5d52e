// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, name, plain } from './dom.js';
import { millis, ms, percent } from './format.js';
import { content } from './tree.js';

const ownKeys = new Set(['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result', 'toolscope.error.result', 'gen_ai.input.messages']);
const decisions = /^toolscope\.(approval|baseline|breaker|budget|cache|dedupe|limit|loop|permission|recovered|retry|timeout|truncate|validation)(?!.*(\.duration|\.id)$)/;

// attributes are those of a span by their keys.
export const attributes = (span) => new Map((span.attributes ?? []).map((a) => [a.key, a.value]));

// contents are what went into a span's call and what came out, as trees, with what was removed and cut.
export const contents = (span, error) => {
  const a = attributes(span);
  const failed = a.get('toolscope.error.result');
  const removed = Number(a.get('toolscope.redacted.count') ?? 0);
  return [
    content('Prompt', a.get('gen_ai.input.messages')),
    content('Arguments', a.get('gen_ai.tool.call.arguments'),
      { cut: a.get('toolscope.arguments.truncated') === 'true', size: Number(a.get('toolscope.arguments.bytes')), id: 'arguments' }),
    content('Error', error),
    content(failed === undefined ? 'Result' : 'Result of the failed call', failed ?? a.get('gen_ai.tool.call.result'),
      { cut: a.get('toolscope.result.truncated') === 'true', size: Number(a.get('toolscope.result.bytes')), id: 'result' }),
    removed > 0 && h('p', { class: 'note' }, `Redacted: ${removed} value${removed === 1 ? '' : 's'}`,
      a.get('toolscope.redacted.kinds') && ` (${a.get('toolscope.redacted.kinds')})`,
      a.get('toolscope.redacted.paths') && ` at ${a.get('toolscope.redacted.paths')}`, '.'),
  ].filter(Boolean);
};

// ordered are the spans of a trace, each below its parent, with its depth.
const ordered = (spans) => {
  const known = new Set(spans.map((x) => x.span_id));
  const below = Map.groupBy(spans, (x) => (known.has(x.parent_span_id) && x.parent_span_id !== x.span_id ? x.parent_span_id : ''));
  const rows = [];
  const seen = new Set();
  const add = (parent, depth) => {
    for (const x of (below.get(parent) ?? []).toSorted((a, b) => millis(a.start) - millis(b.start))) {
      if (seen.has(x)) continue;
      seen.add(x);
      rows.push({ span: x, depth });
      add(x.span_id, depth + 1);
    }
  };
  add('', 0);
  for (const x of spans) if (!seen.has(x)) rows.push({ span: x, depth: 0 });
  return rows;
};

const waits = [['toolscope.queue.duration', 'queue', 'in the queue'], ['toolscope.approval.duration', 'approval', 'waiting for approval'],
  ['toolscope.backoff.duration', 'backoff', 'waiting between attempts']];

// bar is the time of a span: its waits first, then the rest.
const bar = (span, begin, whole) => {
  const from = millis(span.start) - begin;
  const length = Math.max(0, millis(span.end ?? span.start) - millis(span.start));
  const a = attributes(span);
  const part = (x) => `${Math.min(100, 100 * x / whole)}%`;
  let at = from;
  const pieces = waits.flatMap(([key, kind, text]) => {
    const wait = 1000 * Number(a.get(key) ?? 0);
    if (!(wait > 0)) return [];
    const piece = h('span', { class: `piece ${kind}`, title: `${ms(wait)} ${text}`, css: { '--from': part(at), '--width': part(wait) } });
    at += wait;
    return [piece];
  });
  pieces.push(h('span', { class: span.failed ? 'piece bad' : 'piece', css: { '--from': part(at), '--width': part(Math.max(0, from + length - at)) } }));
  return h('span', { class: 'bar', 'aria-hidden': 'true' }, pieces);
};

// chips are what policies did, and how the call ended if not as usual.
const chips = (span) => {
  const a = attributes(span);
  const list = [];
  const outcome = a.get('toolscope.outcome');
  if (outcome && outcome !== 'executed') list.push(['badge ' + outcome, outcome.replace('_', ' ')]);
  if (a.get('error.type')) list.push(['badge bad', a.get('error.type')]);
  if (Number(a.get('toolscope.attempts')) > 1) list.push(['badge', `${a.get('toolscope.attempts')} attempts`]);
  if (a.get('toolscope.attempt')) list.push(['badge', `attempt ${a.get('toolscope.attempt')}`]);
  for (const [key, , text] of waits) if (Number(a.get(key)) > 0) list.push(['badge wait', `${ms(1000 * Number(a.get(key)))} ${text}`]);
  for (const [key, value] of a) if (decisions.test(key)) list.push(['chip', `${key.slice('toolscope.'.length)}: ${value}`]);
  return list.slice(0, 12).map(([kind, text]) => h('span', { class: kind }, text));
};

// waterfall is the spans of a trace on one axis of time, indented below their parents. here is the span that is looked at.
export const waterfall = (spans, here) => {
  const begin = Math.min(...spans.map((x) => millis(x.start)));
  const whole = Math.max(1e-3, Math.max(...spans.map((x) => millis(x.end ?? x.start))) - begin);
  const rows = ordered(spans).map(({ span, depth }) => h('li', { class: span.span_id === here ? 'here' : null, css: { '--depth': Math.min(depth, 12) } },
    h('details', { id: `span-${span.span_id}` },
      h('summary', null, h('span', { class: 'what' }, name(span.name, 60), span.span_id === here && h('span', { class: 'sr' }, ' (this call)')),
        h('span', { class: 'long' }, span.end ? ms(millis(span.end) - millis(span.start)) : 'running'), bar(span, begin, whole),
        h('span', { class: 'chips' }, chips(span))),
      h('div', { class: 'inside' }, contents(span), h('dl', null, (span.attributes ?? []).filter((a) => !ownKeys.has(a.key))
        .map((a) => [h('dt', null, plain(a.key)), h('dd', null, h('bdi', null, a.value))]))))));
  return h('div', { class: 'fall' },
    h('p', { class: 'scale', 'aria-hidden': 'true' }, [0, 0.25, 0.5, 0.75, 1].map((x) => h('span', null, x === 0 ? '0' : ms(whole * x)))),
    h('ol', { 'aria-label': `${spans.length} spans, ${ms(whole)}` }, rows));
};

// parts are how a call's time was spent, in words.
export const parts = (c) => [['in the queue', c.queue_ms], ['waiting for approval', c.approval_ms], ['waiting between attempts', c.backoff_ms],
  ['running', c.run_ms]].filter(([, t]) => t > 0)
  .map(([text, t]) => h('span', null, h('b', null, ms(t)), ` ${text}`, c.duration_ms > 0 && ` (${percent(t / c.duration_ms)})`));
