// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, link, name } from './dom.js';
import { resource } from './api.js';
import { ago, count, counted, ms, plural } from './format.js';
import { card, empty } from './parts.js';
import { table } from './table.js';

const badge = (ok, text) => h('span', { class: `badge ${ok ? 'good' : 'bad'}` }, text);

const runsTable = (id, w, now) => table({ id, caption: `Runs of ${w.name}`, rows: w.last_runs, columns: [
  { key: 'run', label: 'Run', text: true, value: (r) => r.id, cell: (r) => (r.trace_id ? link({ trace: r.trace_id }, name(r.id, 20)) : name(r.id, 20)) },
  { key: 'ending', label: 'Ending', text: true, value: (r) => r.error_type ?? '', class: 'ending', cell: (r) => [badge(r.success, r.success ? 'done' : r.error_type),
    r.failed_step && h('small', null, ' at ', name(r.failed_step, 40)), r.undone && h('small', null, ` ${plural(r.undone.length, 'step')} undone`),
    r.not_undone && h('small', { class: 'why' }, ` ${plural(r.not_undone.length, 'step')} not undone`)] },
  { key: 'took', label: 'Took', value: (r) => r.duration_ms, cell: (r) => ms(r.duration_ms) },
  { key: 'calls', label: 'Calls', value: (r) => r.calls, cell: (r) => count(r.calls) },
  { key: 'at', label: 'Started', value: (r) => r.started, cell: (r) => ago(r.started, now) },
] });

const logTable = (id, run) => table({ id, caption: `Steps of the latest run of ${run.workflow}`, rows: run.log, columns: [
  { key: 'step', label: 'Step', text: true, value: (s) => s.step, cell: (s) => name(s.step, 60) },
  { key: 'kind', label: 'Kind', text: true, value: (s) => s.kind, cell: (s) => s.kind },
  { key: 'tool', label: 'Tool', text: true, value: (s) => s.tool ?? '', cell: (s) => s.tool && link({ tool: s.tool }, name(s.tool, 40)) },
  { key: 'status', label: 'Ending', text: true, value: (s) => s.status, cell: (s) => [badge(s.status === 'done', s.status), s.error_type && h('small', null, ` ${s.error_type}`)] },
  { key: 'took', label: 'Took', value: (s) => s.duration_ms, cell: (s) => ms(s.duration_ms) },
] });

// workflows is the view of the program's workflows and their last runs.
export const workflows = {
  reads: () => [resource(['workflows'])],
  title: () => 'Workflows',
  show: ([l]) => [h('h2', { class: 'big' }, 'Workflows'), !l.workflows?.length && empty('No workflows.'), (l.workflows ?? []).map((w, i) => {
    const now = Date.now();
    const latest = w.last_runs?.[0];
    return card(`workflow-${i}`, name(w.name, 80), w.description && h('p', null, h('bdi', null, w.description)),
      h('p', { class: 'facts' }, h('span', null, h('b', null, count(w.runs)), ` ${counted(w.runs, 'run')}`), h('span', null, h('b', null, count(w.failed)), ' failed'),
        h('span', null, w.read_only ? 'only reads' : 'may write'), w.tools?.length > 0 && h('span', null, 'calls ', w.tools.map((t, n) => [n > 0 && ', ', link({ tool: t }, name(t, 40))]))),
      latest ? [runsTable(`runs-${i}`, w, now), latest.log?.length > 0 && h('details', { id: `log-${i}` }, h('summary', null, 'Steps of the latest run'), logTable(`steps-${i}`, latest))] : empty('It has not run yet.'),
      h('details', { id: `graph-${i}` }, h('summary', null, 'Definition as a Mermaid chart'), h('pre', { tabindex: '0' }, w.graph)));
  })],
};
