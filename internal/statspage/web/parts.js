// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, link, name, clip, plain } from './dom.js';
import { ago, bytes, change, clock, count, ms, number3, percent, plural, rate } from './format.js';
import { distribution, extent, trend } from './plot.js';
import { table } from './table.js';

export const card = (id, title, ...children) => h('section', { class: 'card', id, 'aria-labelledby': `${id}-h` }, h('h2', { id: `${id}-h` }, title), children);

export const empty = (text) => h('p', { class: 'empty' }, text);

const compared = (was, is, rising) => {
  const c = change(was, is);
  if (!c) return null;
  const mood = !rising ? '' : c.up ? ' bad' : ' good';
  return h('span', { class: `change${mood}`, title: 'compared with the span of the same length before' }, ` ${c.text}`);
};

const tile = (label, value, detail, more) => h('div', { class: 'tile' }, h('h3', null, label), h('p', { class: 'value' }, value, more), detail && h('p', { class: 'detail' }, detail));

const longestWait = (o) => [['in the queue', o.queue], ['for approval', o.approval], ['between attempts', o.backoff]]
  .filter(([, w]) => w).toSorted((a, b) => b[1].count - a[1].count)[0];

// figures are the main figures of a view, and those of the policies in use.
export const figures = (v) => {
  const o = v.overall;
  const was = o.calls > 0 && o.previous?.calls > 0 ? o.previous : {};
  const ran = o.executed > 0;
  const time = (x) => (ran ? ms(x) : '–');
  const answered = (o.cache_hits ?? 0) + (o.coalesced ?? 0) + (o.repeated ?? 0);
  const pending = figure(v.components, 'approvals', 'pending');
  const wait = longestWait(o);
  return [
    h('h2', { class: 'sr' }, 'Key figures'),
    h('section', { class: 'tiles', 'aria-label': 'Key figures' },
      tile('Calls', count(o.calls), rate(o.calls, o.calls_per_second), compared(was.calls_per_second, o.calls_per_second, false)),
      tile('Errors', o.calls > 0 ? percent(o.error_rate) : '–', plural(o.errors, 'call'), compared(was.error_rate, o.error_rate, true)),
      tile('Median', time(o.p50_ms), null, ran && compared(was.p50_ms, o.p50_ms, true)),
      tile('p95', time(o.p95_ms), '1 in 20 took longer', ran && compared(was.p95_ms, o.p95_ms, true)),
      tile('p99', time(o.p99_ms), ran && `longest ${ms(o.max_ms)}`, ran && compared(was.p99_ms, o.p99_ms, true))),
    h('section', { class: 'minor', 'aria-label': 'More figures' },
      !v.report && tile('In progress', count(Math.max(0, o.in_flight)), pending > 0 ? `${count(pending)} waiting for approval` : 'waiting or running'),
      tile('Peak concurrency', count(Math.max(0, o.peak_in_flight)), v.tool ? 'of this tool' : 'of one tool'),
      answered > 0 && tile('Answered without a run', percent(o.hit_ratio ?? 0), [[o.cache_hits, 'from cache'], [o.coalesced, 'coalesced'], [o.repeated, 'repeated']]
        .filter(([n]) => n > 0).map(([n, x]) => `${count(n)} ${x}`).join(', ')),
      o.refused > 0 && tile('Refused', count(o.refused), `${percent(o.refused / o.calls)} of calls`),
      wait && tile('Waiting, p95', ms(wait[1].p95_ms), `${plural(wait[1].count, 'call')} ${wait[0]}`),
      o.retries > 0 && tile('Retries', count(o.retries), 'attempts beyond the first'),
      o.looped > 0 && tile('Repeats', count(o.looped), 'made before in the session'),
      o.redactions > 0 && tile('Secrets removed', count(o.redactions), plural(o.truncations ?? 0, 'text') + ' cut'),
      o.cost > 0 && tile('Cost', number3(o.cost), 'as the tools declare it')),
  ];
};

// figure is a number that a component reports; 0 without.
export const figure = (components, component, key) => components?.find((c) => c.name === component)?.figures?.[key] ?? 0;

const errorsCell = (t) => (t.errors > 0 ? [percent(t.error_rate), h('small', null, ` ${count(t.errors)}`)] : '0');

// toolsTable is the tools of a view.
export const toolsTable = (v, sort) => {
  const range = extent(v.tools.map((t) => t.distribution));
  const ran = (t, x) => (t.executed > 0 ? ms(x) : '–');
  const shows = (f) => v.tools.some((t) => f(t) > 0);
  return table({ id: 'tools', kind: 'tools', caption: 'Tools; times are those of calls that ran', rows: v.tools, sort: sort ?? 'time', columns: [
    { key: 'name', label: 'Tool', text: true, value: (t) => t.tool, cell: (t) => [v.report ? name(t.tool) : link({ tool: t.tool }, name(t.tool)),
      t.error_streak > 2 && h('small', { class: 'bad' }, ` last ${count(t.error_streak)} failed`),
      t.in_flight > 0 && h('small', { class: 'running' }, ` ${count(t.in_flight)} in progress`)] },
    { key: 'calls', label: 'Calls', short: 'calls', value: (t) => t.calls, cell: (t) => count(t.calls) },
    { key: 'errors', label: 'Errors', short: 'errors', value: (t) => t.error_rate, kind: (t) => (t.errors > 0 ? 'bad' : null), cell: errorsCell },
    { key: 'p50', label: 'Median', short: 'median', value: (t) => t.p50_ms, cell: (t) => ran(t, t.p50_ms) },
    { key: 'p95', label: 'p95', short: 'p95', value: (t) => t.p95_ms, cell: (t) => ran(t, t.p95_ms) },
    { key: 'p99', label: 'p99', short: 'p99', value: (t) => t.p99_ms, cell: (t) => h('b', null, ran(t, t.p99_ms)) },
    { key: 'max', label: 'Longest', short: 'longest', value: (t) => t.max_ms, cell: (t) => ran(t, t.max_ms) },
    { key: 'dist', label: 'Distribution', text: true, class: 'plot', short: '', cell: (t) => t.executed > 0 && distribution(t.distribution, range, t.p50_ms,
      `running times from ${ms(t.p50_ms)} median to ${ms(t.max_ms)}`) },
    shows((t) => t.hit_ratio) && { key: 'hits', label: 'Hits', short: 'hits', value: (t) => t.hit_ratio, cell: (t) => (t.hit_ratio > 0 ? percent(t.hit_ratio) : '–') },
    shows((t) => t.refused) && { key: 'refused', label: 'Refused', short: 'refused', value: (t) => t.refused, cell: (t) => (t.refused > 0 ? count(t.refused) : '–') },
    { key: 'trend', label: 'Trend', text: true, class: 'plot', short: '', cell: (t) => t.trend.length > 1 && trend(t.trend, t.error_trend, 'calls over time, errors in front') },
    { key: 'time', label: 'Time', short: 'time', class: 'share-cell', value: (t) => t.total_ms, cell: (t) => [percent(t.time_share),
      h('span', { class: 'share', css: { '--width': `${100 * t.time_share}%` } })] },
  ].filter(Boolean) });
};

// errorsTable is error groups, each with a link to its own view.
export const errorsTable = (v, groups) => table({ id: 'errors', caption: 'Error groups', rows: groups, most: 12, columns: [
  { key: 'message', label: 'Error', text: true, class: 'message', cell: (g) => [h('bdi', null, v.report ? clip(plain(g.message), 240)
    : link({ group: g.id }, clip(plain(g.message) || '(no text)', 240)))] },
  { key: 'tool', label: 'Tool', text: true, value: (g) => g.tool, cell: (g) => (v.report ? name(g.tool, 40) : link({ tool: g.tool }, name(g.tool, 40))) },
  { key: 'type', label: 'Type', text: true, value: (g) => g.error_type, cell: (g) => h('span', { class: 'badge bad' }, g.error_type) },
  { key: 'count', label: 'Count', value: (g) => g.count, cell: (g) => [count(g.count), g.count_max > g.count && h('small', null, ` at most ${count(g.count_max)}`)] },
  g0(groups) && { key: 'trend', label: 'Trend', class: 'plot', short: '', cell: (g) => g.trend && trend(g.trend, g.trend, 'errors of this kind over time') },
  !v.report && { key: 'seen', label: 'Latest', value: (g) => g.last_seen, cell: (g) => ago(g.last_seen, v.now ?? Date.now()) },
].filter(Boolean) });

const g0 = (groups) => groups.some((g) => g.trend);

export const outcome = (c) => h('span', { class: `badge ${c.error_type ? 'bad' : c.outcome}` }, c.error_type || c.outcome.replace('_', ' '));

// callsTable is calls, the one that began last first, without the columns that a view does not need.
export const callsTable = (calls, without = []) => table({ id: 'calls', without, kind: 'plain calls', caption: 'Calls', rows: calls.toSorted((a, b) => b.time.localeCompare(a.time)), most: 50, columns: [
  { key: 'time', label: 'Began', text: true, value: (c) => c.time, cell: (c) => link({ call: c.id }, h('time', { datetime: c.time }, clock(c.time, true))) },
  { key: 'tool', label: 'Tool', text: true, value: (c) => c.tool, cell: (c) => link({ tool: c.tool }, name(c.tool, 40)) },
  { key: 'ending', label: 'Ending', text: true, value: (c) => c.error_type ?? c.outcome, class: 'ending', cell: (c) => [outcome(c),
    c.attempts > 1 && h('small', null, ` ${c.attempts} attempts`), c.error && h('small', { class: 'why' }, h('bdi', null, clip(plain(c.error), 90)))] },
  { key: 'took', label: 'Took', value: (c) => c.duration_ms, cell: (c) => ms(c.duration_ms) },
  { key: 'session', label: 'Session', text: true, value: (c) => c.session ?? '', cell: (c) => c.session && link({ session: c.session }, name(c.session, 24)) },
  { key: 'in', label: 'In', value: (c) => c.bytes_in, cell: (c) => bytes(c.bytes_in) },
  { key: 'out', label: 'Out', value: (c) => c.bytes_out, cell: (c) => (c.bytes_out >= 0 ? bytes(c.bytes_out) : '–') },
] });

// sessionsTable is sessions, without the columns that a view does not need.
export const sessionsTable = (v, sessions, without = []) => table({ id: 'sessions', without, caption: 'Sessions', rows: sessions, columns: [
  { key: 'session', label: 'Session', text: true, value: (x) => x.session, cell: (x) => [v.report ? name(x.session, 40) : link({ session: x.session }, name(x.session, 40)),
    x.agent && h('small', null, ' ', name(x.agent, 24))] },
  { key: 'calls', label: 'Calls', value: (x) => x.calls, cell: (x) => count(x.calls) },
  { key: 'errors', label: 'Errors', value: (x) => x.errors, kind: (x) => (x.errors > 0 ? 'bad' : null), cell: (x) => count(x.errors) },
  { key: 'row', label: 'In a row', value: (x) => x.worst_error_streak ?? 0, cell: (x) => (x.worst_error_streak > 1 ? count(x.worst_error_streak) : '–') },
  { key: 'looped', label: 'Repeats', value: (x) => x.looped ?? 0, cell: (x) => (x.looped > 0 ? count(x.looped) : '–') },
  { key: 'turns', label: 'Turns', value: (x) => x.turns ?? 0, cell: (x) => (x.turns > 0 ? count(x.turns) : '–') },
  { key: 'run', label: 'In tools', value: (x) => x.run_ms, cell: (x) => ms(x.run_ms) },
  { key: 'seen', label: 'Latest', value: (x) => x.last_seen ?? '', cell: (x) => (x.last_seen ? v.report ? clock(x.last_seen) : ago(x.last_seen, v.now ?? Date.now()) : '–') },
] });

// loopsTable is calls that sessions make over and over.
export const loopsTable = (v, loops, without = []) => table({ id: 'loops', without, caption: 'Repeated calls', rows: loops, columns: [
  { key: 'tool', label: 'Repeated call', text: true, value: (l) => l.tool, cell: (l) => link({ tool: l.tool }, name(l.tool, 40)) },
  { key: 'session', label: 'Session', text: true, value: (l) => l.session, cell: (l) => l.session && link({ session: l.session }, name(l.session, 40)) },
  { key: 'times', label: 'Times', value: (l) => l.times, cell: (l) => count(l.times) },
  { key: 'stopped', label: 'Stopped', value: (l) => l.stopped ?? 0, cell: (l) => (l.stopped > 0 ? count(l.stopped) : '–') },
  { key: 'trace', label: 'Trace', cell: (l) => l.trace_id && link({ trace: l.trace_id }, 'trace') },
] });
