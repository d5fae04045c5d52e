// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, link, name, address, go } from './dom.js';
import { read, resource } from './api.js';
import { ago, count, counted, moment, ms, plural } from './format.js';
import { callsTable, card, empty, loopsTable, sessionsTable } from './parts.js';
import { callParts } from './call.js';
import { trend } from './plot.js';

// errorGroup is the view of one error group: its example call as a whole, then its other calls.
export const errorGroup = {
  reads: (q) => [resource(['errors'], { window: 'total', group: q.get('group'), limit: 1 }), resource(['calls'], { group: q.get('group'), limit: 100 })],
  more: ([, l]) => {
    const example = l.calls.find((c) => c.sampled) ?? l.calls[0];
    return example ? [resource(['calls', String(example.id)])] : [];
  },
  title: () => 'Error',
  show: ([l, calls, example]) => {
    const g = l.errors[0];
    if (!g) return [h('p', { class: 'banner' }, 'This error group is not kept any more. ', link({ view: 'errors' }, 'All errors'))];
    return [h('p', { class: 'crumb' }, link({ view: 'errors' }, 'Errors'), ' › error of ', link({ tool: g.tool }, name(g.tool, 60))),
      h('section', { class: 'focus', id: 'group' }, h('p', { class: 'message big' }, h('bdi', null, g.message || '(no text)')),
        h('p', { class: 'facts' }, h('span', { class: 'badge bad' }, g.error_type), h('span', null, h('b', null, count(g.count)), g.count_max > g.count ? ` counted, at most ${count(g.count_max)}` : ' in all'),
          h('span', null, `first ${ago(g.first_seen, l.to)}, latest ${ago(g.last_seen, l.to)}`)), g.trend && trend(g.trend, g.trend, 'errors of this kind over time')),
      example ? card('example', ['Example call', link({ call: example.id }, `call ${example.id}`)], callParts(example))
        : card('example', 'Example call', empty('No call of this group is kept.'), g.example && h('p', { class: 'message' }, h('bdi', null, g.example))),
      g.trace_ids?.length > 0 && card('traces-card', 'Traces', h('p', { class: 'facts' }, g.trace_ids.map((id) => link({ trace: id }, id.slice(0, 8))))),
      calls.calls.length > 0 && card('calls-card', 'Calls', callsTable(calls.calls))];
  },
};

// allSessions is the view of all sessions.
export const allSessions = {
  reads: () => [resource(['sessions'], { limit: 1000 }), resource(['loops'], { limit: 100 })],
  title: () => 'Sessions',
  show: ([l, loops]) => [h('h2', { class: 'big' }, 'Sessions'), card('sessions-card', plural(l.sessions.length, 'session'), l.sessions.length > 0 ? sessionsTable(l, l.sessions) : empty('No sessions.'),
    l.evicted_sessions > 0 && h('p', { class: 'note' }, `${count(l.evicted_sessions)} earlier sessions made room for these.`)),
  loops.loops.length > 0 && card('loops-card', 'Loops', loopsTable(l, loops.loops))],
};

// session is the view of one session: its calls by turn.
export const session = {
  reads: (q) => [resource(['sessions'], { limit: 1000 }), resource(['calls'], { session: q.get('session'), limit: 200 }), resource(['loops'], { limit: 1000 })],
  title: (q) => q.get('session'),
  show: ([l, calls, loops], q) => {
    const id = q.get('session');
    const x = l.sessions.find((y) => y.session === id);
    const own = loops.loops.filter((y) => y.session === id);
    return [h('p', { class: 'crumb' }, link({ view: 'sessions' }, 'Sessions'), ' › session'), h('h2', { class: 'big', id: 'session-h' }, name(id, 200)),
      x ? h('p', { class: 'facts' }, [[count(x.calls), counted(x.calls, 'call')], [count(x.errors), counted(x.errors, 'error')], [count(x.turns ?? 0), counted(x.turns, 'turn')],
        [ms(x.run_ms), 'in tools'], [ms(x.wait_ms ?? 0), 'waiting'], [count(x.looped ?? 0), counted(x.looped, 'repeat')]]
        .map(([value, text]) => h('span', null, h('b', null, value), ` ${text}`)), x.agent && h('span', null, 'agent ', name(x.agent, 60)), h('span', null, `${moment(x.first_seen)} to ${moment(x.last_seen)}`))
        : h('p', { class: 'banner' }, 'This session is not among those kept.'),
      own.length > 0 && card('loops-card', 'Repeated calls', loopsTable(l, own, ['session'])),
      card('calls-card', 'Recent calls', calls.calls.length > 0 ? callsTable(calls.calls, ['session']) : empty('No call of this session is among the recent ones that are kept.'))];
  },
};

const filters = ['tool', 'outcome', 'error', 'group', 'session', 'policy', 'min_duration'];
const outcomes = ['', 'executed', 'cache_hit', 'coalesced', 'repeated', 'refused'];

const field = (label, control) => h('label', null, label, control);

// calls is the view of recent calls, and of those that run if the program tells.
export const calls = {
  reads: (q) => [resource(['calls'], { ...Object.fromEntries(filters.map((f) => [f, q.get(f)])), before: q.get('before'), limit: 100 })],
  extra: async () => { try { return await read(resource(['running'], { limit: 50 })); } catch { return null; } },
  title: () => 'Calls',
  show: ([l, running], q) => {
    const given = Object.fromEntries(filters.map((f) => [f, q.get(f)]));
    return [h('h2', { class: 'big' }, 'Calls'),
      running?.running.length > 0 && card('running-card', [`In progress`, h('small', null, count(running.running.length + running.more))], h('ul', { class: 'list' }, running.running.map((c) => h('li', null,
        name(c.tool, 60), ` for ${ms(c.running_ms)} `, c.session && link({ session: c.session }, name(c.session, 30)))))),
      card('calls-card', 'Recent calls', h('form', { class: 'filter', id: 'filter', onsubmit: (e) => {
        e.preventDefault();
        go(address({ view: 'calls', ...Object.fromEntries(new FormData(e.target)) }));
      } }, field('Tool', h('input', { name: 'tool', value: given.tool ?? '' })), field('Session', h('input', { name: 'session', value: given.session ?? '' })),
      field('Outcome', h('select', { name: 'outcome' }, outcomes.map((o) => h('option', { value: o, selected: o === (given.outcome ?? '') }, o ? o.replace('_', ' ') : 'any')))),
      field('Error', h('input', { name: 'error', value: given.error ?? '', placeholder: 'any, timeout, …' })),
      field('Policy', h('input', { name: 'policy', value: given.policy ?? '', placeholder: 'key or key=value' })),
      field('At least', h('input', { name: 'min_duration', value: given.min_duration ?? '', placeholder: '250ms', size: 7 })), h('button', { type: 'submit' }, 'Show')),
      l.calls.length > 0 ? callsTable(l.calls) : empty('No recent call matches.'),
      h('p', { class: 'pager' }, q.get('before') && link({ view: 'calls', ...given }, 'latest'), l.next_before && link({ view: 'calls', ...given, before: l.next_before }, 'older')))];
  },
};
