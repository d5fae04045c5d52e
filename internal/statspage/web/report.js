// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, name } from './dom.js';
import { moment, ms } from './format.js';
import { card, empty, errorsTable, figures, outcome, sessionsTable, toolsTable } from './parts.js';
import { chartsOf } from './overview.js';
import { content } from './tree.js';

const shown = (c, i, id) => h('details', { class: 'call', id: `${id}-${i}` }, h('summary', null, c.time && h('span', { class: 'when' }, moment(c.time, true)), ' ', name(c.tool, 60), ' ', outcome(c), ' ',
  h('b', null, ms(c.duration_ms)), c.session && h('small', null, ' ', name(c.session, 40))),
h('div', { class: 'inside' }, content('Intent', c.intent), content('Arguments', c.arguments, { cut: c.cut }), content('Error', c.error), content('Result', c.result, { cut: c.cut }),
  h('dl', null, [['session', c.session], ['agent', c.agent], ['call', c.call_id], ['trace', c.trace_id]].filter(([, x]) => x).map(([key, x]) => [h('dt', null, key), h('dd', null, h('bdi', null, x))]))));

const list = (id, title, calls) => calls?.length > 0 && card(id, title, calls.map((c, i) => shown(c, i, id)));

// report is the page of a call log, which reads nothing.
export const report = (v) => [
  v.timed && h('p', { class: 'crumb' }, `${moment(v.from)} to ${moment(v.to)}`),
  v.notes?.length > 0 && h('section', { class: 'card', 'aria-label': 'What to know of this report' }, h('ul', { class: 'list' }, v.notes.map((n) => h('li', null, n)))),
  figures(v), v.timed && v.chart.calls.length > 1 && chartsOf(v),
  card('tools-card', 'Tools', v.tools.length > 0 ? toolsTable(v) : empty('No calls.')),
  v.errors.length > 0 && card('errors-card', 'Errors', errorsTable(v, v.errors)),
  v.sessions?.length > 0 && card('sessions-card', 'Sessions', sessionsTable(v, v.sessions)),
  list('slowest', 'Slowest calls', v.slowest), list('failed', 'Latest failures', v.failed)];
