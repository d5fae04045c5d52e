// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Elements are made of text nodes and attributes only, never of HTML: a hostile name stays text.

const invisible = /[^\P{C}\n\t]|[\u2028\u2029\u00ad\u115f\u1160\u3164\uffa0]/gu;

// plain spells out characters that would be invisible or change the order of writing.
export const plain = (text) => String(text).replace(invisible, (c) => {
  const n = c.codePointAt(0);
  const hex = (digits) => n.toString(16).padStart(digits, '0');
  if (n < 0x100) return `\\x${hex(2)}`;
  return n < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
});

const fill = (node, props, children) => {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'css') for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else node.setAttribute(name, value === true ? '' : plain(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === '') continue;
    node.append(child instanceof Node ? child : plain(child));
  }
  return node;
};

// h makes an element. A property is an attribute; on… is a listener; css is custom properties of its style.
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

// s makes an element of a drawing.
export const s = (tag, props, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

// clip cuts a text to what a cell shows; the whole text is in the title.
export const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// name is the name of a tool, a session or the like, which may be written from right to left.
export const name = (text, most = 80) => h('bdi', { class: 'name', title: text.length > most ? text : null }, clip(plain(text), most));

// address is the page's own with parameters, of which empty ones are left out. The time range stays.
export const address = (params) => {
  const now = new URLSearchParams(location.search);
  const q = new URLSearchParams();
  for (const key of ['window', 'since', 'until']) if (now.get(key)) q.set(key, now.get(key));
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined || value === null || value === '') q.delete(key);
    else q.set(key, value);
  }
  return `?${q}`;
};

export const link = (params, ...children) => h('a', { href: address(params) }, ...children);

// away is a link to another server. Only http and https are followed.
export const away = (href, ...children) => (/^https?:\/\//i.test(href ?? '')
  ? h('a', { href, rel: 'noreferrer', target: '_blank', class: 'away' }, ...children) : null);

// go shows another view of the page without loading it anew.
export const go = (href) => {
  history.pushState(null, '', href);
  dispatchEvent(new Event('popstate'));
};
