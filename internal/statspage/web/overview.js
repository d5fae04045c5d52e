// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, link, name, address } from './dom.js';
import { range, resource } from './api.js';
import { clock, count, moment, ms, plural } from './format.js';
import { callsChart, timesChart } from './plot.js';
import { callsTable, card, empty, errorsTable, figures, loopsTable, sessionsTable, toolsTable } from './parts.js';
import { table } from './table.js';

// silence is a sentence for a time range without calls.
const silence = (v) => {
  if (v.overall.calls > 0 && !v.latest_call) return null;
  if (v.latest_call) {
    return h('p', { class: 'banner', id: 'silence' }, `No calls in the last ${v.asked}. This is the ${v.asked} up to the latest call, which ended at ${moment(v.latest_call)}.`);
  }
  return h('p', { class: 'banner', id: 'silence' }, v.tool ? 'No calls of this tool in this time range. ' : v.windows?.includes(v.asked)
    ? 'No calls yet. Figures appear with the first call.' : 'No calls in this time range. ',
  v.windows && !v.windows.includes(v.asked) && h('a', { href: address({ window: 'total', since: '', until: '', tool: v.tool }) }, 'Show all calls'));
};

export const chartsOf = (v) => h('section', { class: 'two charts', 'aria-label': 'Over time' },
  card('calls-time', 'Calls', callsChart(v)),
  card('run-time', ['Running times', h('span', { class: 'legend' }, h('span', { class: 'key' }), 'median', h('span', { class: 'key k99' }), 'p99')], timesChart(v)));

const shownOf = (shown, all) => (shown < all ? h('small', null, `${count(shown)} of ${count(all)}`) : null);

// overview is the view of all tools.
export const overview = {
  ranged: true,
  reads: (q) => [resource(['view'], { ...range(), sort: q.get('sort') })],
  title: () => 'Overview',
  show: ([v], q) => [silence(v), figures(v), v.overall.calls > 0 && chartsOf(v),
    v.tools.length > 0 && card('tools-card', ['Tools', shownOf(v.tools.length, v.tools_used)], toolsTable(v, q.get('sort'))),
    card('errors-card', ['Top errors', shownOf(v.errors.length, v.error_groups)], v.errors.length > 0 ? errorsTable(v, v.errors) : empty('No errors in this time range.')),
    h('div', { class: 'two' },
      card('calls-card', ['Latest calls', link({ view: 'calls' }, 'all calls')], v.calls.length > 0 ? callsTable(v.calls, ['in', 'out']) : empty('No calls are kept.')),
      card('sessions-card', ['Sessions', link({ view: 'sessions' }, 'all sessions')], v.sessions?.length > 0 ? sessionsTable(v, v.sessions, ['row', 'run']) : empty('No sessions.'),
        v.loops?.length > 0 && loopsTable(v, v.loops)))],
};

const slowest = (o) => [o.near_p99 && ['near p99', o.near_p99], ...(o.slowest ?? []).map((e) => ['slow', e])].filter(Boolean);

const policies = (o) => o.policies?.length > 0 && card('policies-card', 'Policies', table({ id: 'policies', caption: 'What policies recorded of the calls', rows: o.policies, columns: [
  { key: 'key', label: 'Recorded', text: true, value: (p) => p.key, cell: (p) => h('bdi', { class: 'name' }, `${p.key}: ${p.value}`) },
  { key: 'count', label: 'Calls', value: (p) => p.count, cell: (p) => h('a', { href: address({ view: 'calls', tool: o.tool, policy: `${p.key}=${p.value}` }) }, count(p.count)) },
  { key: 'part', label: 'Part', cell: (p) => h('span', { class: 'share', css: { '--width': `${100 * p.count / Math.max(1, o.calls)}%` } }) },
] }));

// tool is the view of one tool.
export const tool = {
  ranged: true,
  reads: (q) => [resource(['view'], { ...range(), tool: q.get('tool') })],
  title: (q) => q.get('tool'),
  show: ([v], q) => {
    v.tool = q.get('tool');
    const file = (format) => resource(['tools', v.tool, 'histogram'], { ...range(), format });
    return [h('p', { class: 'crumb' }, link({}, 'Overview'), ' › tool'), h('h2', { class: 'big', id: 'tool-h' }, name(v.tool, 200)), silence(v), figures(v), v.overall.calls > 0 && chartsOf(v),
      card('errors-card', 'Errors', v.errors.length > 0 ? errorsTable(v, v.errors) : empty('No errors of this tool in this time range.')),
      card('calls-card', ['Latest calls', link({ view: 'calls', tool: v.tool }, 'all calls')], v.calls.length > 0 ? callsTable(v.calls, ['tool']) : empty('No calls of this tool are kept.')),
      slowest(v.overall).length > 0 && card('slow-card', 'Slowest sampled calls', h('ul', { class: 'list' }, slowest(v.overall).map(([text, e]) => h('li', null,
        link({ trace: e.trace_id }, `${text} ${ms(e.duration_ms)}`), h('small', null, ` at ${clock(e.time)}`))))),
      policies(v.overall), h('p', { class: 'note' }, 'Running times for HdrHistogram: ', h('a', { href: file('hgrm') }, 'percentiles'), ', ', h('a', { href: file('hlog') }, 'log'), '.')];
  },
};

// allErrors is the view of all error groups.
export const allErrors = {
  ranged: true,
  reads: () => [resource(['errors'], { ...range(), limit: 500 })],
  title: () => 'Errors',
  show: ([l]) => [h('h2', { class: 'big' }, 'Errors'), card('errors-card', plural(l.errors.length, 'error group'),
    l.errors.length > 0 ? errorsTable(l, l.errors) : empty('No errors in this time range.'),
    l.other_errors > 0 && h('p', { class: 'note' }, `${count(l.other_errors)} errors belong to no group kept; none of those occurred more than ${count(l.max_unlisted)} times.`))],
};
