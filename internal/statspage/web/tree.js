// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, plain, clip } from './dom.js';
import { bytes } from './format.js';

const mark = /(\[REDACTED:[^\]\s]{1,120}\])/;
const maxChildren = 200;
const maxDepth = 12;

// marked is a text in which what was redacted stands out.
const marked = (text) => text.split(mark).map((part, i) => (i % 2 ? h('mark', { title: 'removed by the redactor' }, part) : part));

const leaf = (v) => {
  if (typeof v !== 'string') return h('span', { class: 'atom' }, String(v));
  if (v.length <= 300 && !v.includes('\n')) return h('bdi', { class: 'string' }, marked(v));
  return h('pre', { tabindex: '0', 'aria-label': 'text' }, h('bdi', null, marked(v)));
};

const branch = (v, depth) => {
  if (v === null || typeof v !== 'object') return leaf(v);
  const entries = Object.entries(v);
  if (entries.length === 0) return h('span', { class: 'atom' }, Array.isArray(v) ? '[]' : '{}');
  if (depth >= maxDepth) return h('pre', null, clip(JSON.stringify(v), 2000));
  const items = entries.slice(0, maxChildren).map(([key, child]) => {
    const label = h('bdi', { class: 'key' }, plain(key));
    if (child === null || typeof child !== 'object' || Object.keys(child).length === 0) {
      return h('li', null, label, ': ', branch(child, depth + 1));
    }
    const size = Array.isArray(child) ? `${child.length} items` : `${Object.keys(child).length} members`;
    return h('li', null, h('details', { open: depth < 3 }, h('summary', null, label, h('small', null, ` ${size}`)), branch(child, depth + 1)));
  });
  if (entries.length > maxChildren) items.push(h('li', null, h('small', null, `… ${entries.length - maxChildren} more`)));
  return h('ul', { class: 'tree' }, items);
};

// tree shows a text that may be JSON as a tree.
export const tree = (text) => {
  try {
    return branch(JSON.parse(text), 0);
  } catch {
    return leaf(text); // a text, or JSON that was cut
  }
};

// content is a part of a call with its heading: a tree, and a sentence about what was cut.
export const content = (title, text, { cut, size, id } = {}) => (text === undefined || text === '' ? null
  : h('section', { class: 'content', id }, h('h3', null, title), tree(text),
    cut && h('p', { class: 'note' }, size > 0 ? `Cut: the whole has ${bytes(size)}.` : 'Cut to the first part.')));
