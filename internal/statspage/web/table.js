// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';

// How a table was sorted and whether it was opened, by its id: a table made anew is as it was.
const memory = new Map();

const compare = (a, b) => (typeof a === 'string' || typeof b === 'string'
  ? String(a ?? '').localeCompare(String(b ?? '')) : (a ?? -1) - (b ?? -1));

// table makes a table that can be sorted by each of its columns. A column has a label, a function cell from a row to a
// content, optionally value (what is sorted by) and text (aligned left). first columns are headings of their rows.
// without has the keys of columns that are left out.
export const table = ({ id, caption, kind, columns: all, without = [], rows, sort, most = 25, current, after }) => {
  const columns = all.filter((c) => !without.includes(c.key));
  const state = memory.get(id) ?? { key: sort ?? null, down: true, all: false };
  memory.set(id, state);
  const body = h('tbody');
  const note = h('p', { class: 'note more' });
  const heads = columns.map((c) => {
    const head = h('th', { scope: 'col', class: c.text ? 'text' : null },
      c.value ? h('button', { type: 'button', class: 'sort', id: `${id}-by-${c.key}`, onclick: () => {
        state.down = state.key === c.key ? !state.down : !c.text;
        state.key = c.key;
        draw();
      } }, c.label) : h('span', { class: c.hidden ? 'sr' : null }, c.label));
    return head;
  });
  const draw = () => {
    const by = columns.find((c) => c.key === state.key);
    const sorted = by ? rows.toSorted((a, b) => compare(by.value(a), by.value(b)) * (state.down ? -1 : 1)) : rows;
    const shown = state.all ? sorted : sorted.slice(0, most);
    columns.forEach((c, i) => {
      if (c.value) heads[i].setAttribute('aria-sort', c !== by ? 'none' : state.down ? 'descending' : 'ascending');
    });
    body.replaceChildren(...shown.flatMap((row) => [
      h('tr', { class: current?.(row) ? 'current' : null }, columns.map((c, i) => h(i === 0 ? 'th' : 'td', {
        scope: i === 0 ? 'row' : null, class: [c.text && 'text', c.kind?.(row) ?? c.class].filter(Boolean).join(' ') || null,
        'data-label': i > 0 && c.short !== '' ? c.short ?? c.label : null,
      }, c.cell(row)))), ...[after?.(row) ?? []].flat()]));
    const left = rows.length - shown.length;
    note.replaceChildren();
    if (left > 0 || state.all && rows.length > most) {
      note.append(h('button', { type: 'button', id: `${id}-more`, onclick: () => { state.all = !state.all; draw(); } },
        left > 0 ? `Show all ${rows.length}` : `Show the first ${most}`));
    }
  };
  draw();
  return [h('div', { class: 'scroll', role: 'region', 'aria-label': `${caption} table`, tabindex: '0', id: `${id}-table` },
    h('table', { class: kind ?? 'plain' }, h('caption', { class: 'sr' }, caption),
      h('thead', null, h('tr', null, heads)), body)), note];
};
