// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { away, h, link, name } from './dom.js';
import { resource } from './api.js';
import { bytes, moment, ms } from './format.js';
import { callsTable, card, empty, outcome } from './parts.js';
import { content } from './tree.js';
import { contents, parts, waterfall } from './waterfall.js';

const facts = (c) => [['Session', c.session && link({ session: c.session }, name(c.session, 60))], ['Agent', c.agent && name(c.agent, 60)], ['Turn', c.turn],
  ['Ending', c.ending], ['Error group', c.error_group && link({ group: c.error_group }, c.error_group)], ['Attempts', c.attempts], ['Repeat', c.repeat],
  ['Arguments', bytes(c.bytes_in)], ['Result', c.bytes_out >= 0 ? bytes(c.bytes_out) : null], ['Age of the answer', c.age_ms > 0 && ms(c.age_ms)],
  ['Answered by', c.origin_trace_id && link({ trace: c.origin_trace_id }, `trace ${c.origin_trace_id.slice(0, 8)}`)], ['Trace', c.trace_id], ['Span', c.span_id]]
  .filter(([, value]) => value);

const traceLinks = (c) => (c.trace_id ? h('p', { class: 'facts links' }, link({ trace: c.trace_id }, 'Whole trace'), away(c.trace_url, 'Open in the tracing backend')) : null);

// callParts is a call: what went in and out first, then its time, then the rest.
export const callParts = (c) => {
  const span = c.spans?.find((x) => x.span_id === c.span_id);
  return [
    h('p', { class: 'facts' }, link({ tool: c.tool }, name(c.tool, 60)), outcome(c), h('b', null, ms(c.duration_ms)), h('span', null, moment(c.time, true)), parts(c)),
    c.policies?.length > 0 && h('p', { class: 'chips' }, c.policies.map((p) => h('span', { class: 'chip' }, h('bdi', null, `${p.key}: ${p.value}`)))),
    traceLinks(c),
    span ? contents(span, c.error) : [content('Error', c.error), h('p', { class: 'note' }, 'Arguments and result are not in memory: the ring of spans does not have this call (any more).')],
    c.spans?.length > 0 && h('section', { class: 'content' }, h('h3', null, 'Trace'), waterfall(c.spans, c.span_id)),
    h('section', { class: 'content' }, h('h3', null, 'Details'), h('dl', null, facts(c).map(([key, value]) => [h('dt', null, key), h('dd', null, value)]))),
  ];
};

// call is the view of one call.
export const call = {
  reads: (q) => [resource(['calls', q.get('call')])],
  title: (q) => `Call ${q.get('call')}`,
  show: ([c], q) => [h('p', { class: 'crumb' }, link({ view: 'calls' }, 'Calls'), ` › call ${q.get('call')}`),
    h('section', { class: 'focus', id: 'call' }, h('h2', null, name(c.tool, 200)), callParts(c))],
};

// trace is the view of one trace.
export const trace = {
  reads: (q) => [resource(['traces', q.get('trace')])],
  title: () => 'Trace',
  show: ([t]) => [h('p', { class: 'crumb' }, link({}, 'Overview'), ' › trace'),
    h('section', { class: 'focus', id: 'trace' }, h('h2', null, 'Trace ', h('code', null, t.trace_id)),
      t.trace_url && h('p', { class: 'facts links' }, away(t.trace_url, 'Open in the tracing backend')),
      t.spans.length > 0 ? waterfall(t.spans) : empty(`The spans of this trace are not in memory (any more).${t.trace_url ? ' The tracing backend may have them.' : ''}`)),
    t.calls.length > 0 && card('calls-card', 'Calls', callsTable(t.calls))],
};
