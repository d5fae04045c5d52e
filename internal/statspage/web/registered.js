// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, link, name } from './dom.js';
import { resource } from './api.js';
import { count, plural } from './format.js';
import { card, empty } from './parts.js';
import { table } from './table.js';

const does = (t) => (t.read_only ? 'reads' : t.destructive ? 'may destroy' : '');

const categoryTable = (id, category, tools) => table({ id, caption: category, rows: tools, columns: [
  { key: 'tool', label: 'Tool', text: true, value: (t) => t.tool, cell: (t) => link({ tool: t.tool, window: 'total' }, name(t.tool, 60)) },
  { key: 'risk', label: 'Risk', text: true, value: (t) => t.risk ?? '', cell: (t) => t.risk && h('span', { class: `badge ${t.risk === 'high' ? 'bad' : ''}` }, name(t.risk, 20)) },
  { key: 'does', label: 'Does', text: true, value: does, cell: (t) => [does(t), t.requires_approval && h('small', null, ' asks each time')] },
  { key: 'calls', label: 'Calls', value: (t) => t.calls, cell: (t) => count(t.calls) },
] });

// registered is the view of all registered tools by category, called or not.
export const registered = {
  reads: (q) => [resource(['registered'], { category: q.get('category') })],
  title: () => 'Tools',
  show: ([l], q) => {
    const categories = [...new Set(l.tools.map((t) => t.category ?? ''))];
    return [h('h2', { class: 'big' }, 'Tools'),
      l.categories.length > 0 && h('p', { class: 'facts', id: 'categories' }, ['', ...l.categories].map((c) => link({ view: 'tools', category: c },
        c === (q.get('category') ?? '') ? h('b', null, c || 'all') : c || 'all'))),
      l.tools.length === 0 && empty('No registered tools are known. A program that wraps a registry lists them.'),
      l.more > 0 && h('p', { class: 'banner' }, `${plural(l.more, 'tool')} more are not shown.`),
      categories.map((c, i) => card(`category-${i}`, c ? name(c, 60) : 'Without a category', categoryTable(`tools-${i}`, c || 'Tools without a category', l.tools.filter((t) => (t.category ?? '') === c))))];
  },
};
