// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { h, name, plain } from './dom.js';
import { resource } from './api.js';
import { bytes, count, ms, number3, percent } from './format.js';
import { card, empty, figure } from './parts.js';

const value = (key, n) => (/bytes$/.test(key) ? bytes(n) : /_seconds$/.test(key) ? ms(1000 * n) : Number.isInteger(n) ? count(n) : number3(n));

const component = (c) => h('section', { class: 'content' }, h('h3', null, plain(c.name), ' ', h('span', { class: c.problems ? 'badge bad' : 'badge good' }, c.problems ? 'problem' : 'OK')),
  c.problems && h('ul', { class: 'list bad' }, c.problems.map((p) => h('li', null, p))),
  h('dl', null, Object.entries(c.figures ?? {}).map(([key, n]) => [h('dt', null, key.replaceAll('_', ' ')), h('dd', null, value(key, n))])));

// health is how the program's components are, and what agents do badly.
export const health = {
  reads: () => [resource(['summary'], {})],
  title: () => 'Health',
  show: ([v]) => {
    const policies = v.components.find((c) => c.name === 'policies');
    const parts = v.components.filter((c) => c !== policies);
    return [h('h2', { class: 'big' }, 'Health'),
      card('components', ['Components', h('small', null, parts.some((c) => c.problems) ? 'a component has a problem' : 'all OK')], h('div', { class: 'grid' }, parts.map(component))),
      card('in-force', 'Policies in force', policies ? h('p', { class: 'chips' }, Object.keys(policies.figures ?? {}).map((p) => h('span', { class: 'chip' }, plain(p))))
        : empty('The program reports no policies.')),
      card('agents', 'Agents', h('dl', null, [['sessions held', count(v.health.sessions)], ['calls per session', number3(v.health.calls_per_session)], ['calls per turn', number3(v.health.calls_per_turn)]]
        .map(([key, x]) => [h('dt', null, key), h('dd', null, x)])),
      v.health.streaks.length > 0 && h('section', { class: 'content' }, h('h3', null, 'Rows of failed calls'), h('ul', { class: 'list' }, v.health.streaks.slice(0, 10).map((x) => h('li', null, name(x.tool, 60),
        ` ${count(x.error_streak)} until now, ${count(x.worst_error_streak)} at worst`)))),
      v.health.unused?.length > 0 && h('section', { class: 'content' }, h('h3', null, 'Registered tools without a call'), h('p', { class: 'chips' }, v.health.unused.map((x) => h('span', { class: 'chip' }, name(x, 60)))))),
      card('memory', 'Memory of the statistics', h('p', null, `${bytes(v.limits.bytes)} of at most ${bytes(v.limits.max_bytes)} (${percent(v.limits.bytes / v.limits.max_bytes)})`))];
  },
};

// approvals is how many calls wait for a person, and where they are answered.
export const approvals = {
  reads: () => [resource(['view'], { window: '1m' })],
  title: () => 'Approvals',
  show: ([v]) => {
    const answers = v.links?.find((l) => l.name === 'approvals');
    const pending = figure(v.components, 'approvals', 'pending');
    return [h('h2', { class: 'big' }, 'Approvals'), card('approvals-card', 'Waiting for a person',
      h('p', { class: 'value', id: 'pending' }, count(pending)), h('p', null, pending === 1 ? 'call waits for approval.' : 'calls wait for approval.'),
      answers ? h('p', null, h('a', { href: answers.href, class: 'action' }, 'Answer them'), h('small', null, ' The page asks for the approvals token.'))
        : empty('No page to answer them is served here: toolscope.Options.ApprovalsToken turns it on.'))];
  },
};
