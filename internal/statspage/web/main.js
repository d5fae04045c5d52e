// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

import { address, go, h, link, plain } from './dom.js';
import { Problem, read, resource } from './api.js';
import { approvals, health } from './health.js';
import { call, trace } from './call.js';
import { allSessions, calls, errorGroup, session } from './lists.js';
import { allErrors, overview, tool } from './overview.js';
import { dropCharts } from './plot.js';
import { figure } from './parts.js';
import { moment } from './format.js';
import { registered } from './registered.js';
import { report } from './report.js';
import { workflows } from './workflows.js';

const main = document.getElementById('main');
const live = document.getElementById('live');
const pauseButton = document.getElementById('pause');
const views = { overview, errors: allErrors, calls, sessions: allSessions, tools: registered, workflows, approvals, health };
const names = { overview: 'Overview', errors: 'Errors', calls: 'Calls', sessions: 'Sessions', tools: 'Tools', workflows: 'Workflows', approvals: 'Approvals', health: 'Health' };

let paused = false;
let timer = 0;
let turn = 0; // of loading: an answer to an earlier one is late
let last = ''; // what is shown, to leave it alone if nothing changed
let site = { title: document.title, windows: [], links: [] };

// known is what a view's answer says about the program, for the head and the foot of every page.
const known = (v) => ({ ...v, links: v.links ?? [] });

// chosen is the view that the page's address is of.
const chosen = (q) => {
  if (q.get('call')) return [call, ''];
  if (q.get('trace')) return [trace, ''];
  if (views[q.get('view')]) return [views[q.get('view')], q.get('view')];
  if (q.get('group')) return [errorGroup, 'errors'];
  if (q.get('session')) return [session, 'sessions'];
  return q.get('tool') ? [tool, 'overview'] : [overview, 'overview'];
};

const say = (text, state) => {
  if (live.dataset.state === state) return; // else screen readers read it each time
  live.textContent = text;
  live.dataset.state = state;
};

// replace exchanges what is shown, and gives the focus, the places of scrolling and what was open back.
const replace = (nodes) => {
  const at = document.activeElement;
  const within = main.contains(at) && at !== main;
  const mark = within && { id: at.id, href: at.getAttribute('href'), tag: at.localName, parent: at.closest('[id]')?.id };
  const scrolls = new Map([...main.querySelectorAll('.scroll[id]')].map((e) => [e.id, e.scrollLeft]));
  const open = new Map([...main.querySelectorAll('details[id]')].map((e) => [e.id, e.open]));
  main.replaceChildren(...nodes);
  for (const [id, left] of scrolls) if (left > 0) document.getElementById(id)?.scrollTo({ left });
  for (const [id, was] of open) {
    const e = document.getElementById(id);
    if (e) e.open = was;
  }
  if (mark) {
    const to = (mark.id && document.getElementById(mark.id)) || [...main.querySelectorAll('a')].find((a) => mark.href && a.getAttribute('href') === mark.href)
      || (mark.tag === 'summary' && document.getElementById(mark.parent)?.querySelector('summary'));
    to?.focus({ preventScroll: true });
  }
};

const flat = (nodes) => nodes.flat(Infinity).filter((n) => n instanceof Node);

// disturbs reports whether an exchange would disturb a person who types or selects.
const disturbs = () => main.contains(document.activeElement) && document.activeElement.matches('input, select, textarea')
  || !getSelection().isCollapsed && main.contains(getSelection().anchorNode);

const showHead = (view, q, ranged) => {
  const pending = figure(site.components, 'approvals', 'pending');
  const hasApprovals = (site.components ?? []).some((c) => c.name === 'approvals') || site.links.some((l) => l.name === 'approvals');
  const bad = (site.components ?? []).some((c) => c.problems);
  document.getElementById('views').replaceChildren(...Object.entries(names).filter(([key]) => (key !== 'approvals' || hasApprovals) && (key !== 'workflows' || site.workflows)).map(([key, text]) => h('a', {
    href: address({ view: key === 'overview' ? '' : key }), 'aria-current': key === view ? 'page' : null, id: `view-${key}`,
  }, text, key === 'approvals' && pending > 0 && h('span', { class: 'badge wait' }, String(pending)), key === 'health' && bad && h('span', { class: 'badge bad' }, '!'))));
  const asked = q.get('since') || q.get('until') ? '' : q.get('window') || '5m';
  const own = Object.fromEntries(q);
  document.getElementById('range').hidden = !ranged; // other views show what is kept, of any time
  document.getElementById('range').replaceChildren(...site.windows.map((w) => h('a', {
    href: address({ ...own, window: w, since: '', until: '' }), 'aria-current': w === asked ? 'true' : null, id: `range-${w}`,
  }, w === 'total' ? 'all' : w)), ...(asked === '' ? [h('a', { href: location.search, 'aria-current': 'true' },
    [q.get('since'), q.get('until')].map((t) => (t ? moment(isNaN(t) ? t : t * 1000) : 'now')).join(' – '))] : []));
  document.getElementById('foot').replaceChildren(...flat([h('p', null, 'The same data: ', ['summary.txt', 'summary', 'tools', 'errors', 'calls', 'sessions', 'snapshot'].flatMap((r) => [h('a', { href: `api/v1/${r}` }, r), ' ']),
    h('a', { href: 'openapi.json' }, 'OpenAPI'), ' ', h('a', { href: 'healthz' }, 'healthz'), site.metrics && [' ', h('a', { href: 'metrics' }, 'metrics')],
    site.links.map((l) => [' ', h('a', { href: l.href }, plain(l.name))])), h('p', null, 'Percentiles include only executed calls.', site.started && ` Recording since ${moment(site.started)}.`)]));
};

// problemNodes are what is shown in place of a view that could not be read.
const problemNodes = (error) => [h('p', { class: 'banner bad', id: 'problem' }, error.message, ' ', link({}, 'Overview'))];

const load = async (fresh) => {
  clearTimeout(timer);
  const mine = ++turn;
  const q = new URLSearchParams(location.search);
  const [view, key] = chosen(q);
  let answered = false;
  try {
    let answers = await Promise.all(view.reads(q).map(read));
    if (view.more) answers = [...answers, ...await Promise.all(view.more(answers).map(read))];
    if (view.extra) answers = [...answers, await view.extra()];
    if (site.windows.length === 0 && !answers.some((a) => a?.windows)) site = known(await read(resource(['view'], { window: '1m' })));
    if (mine !== turn) return;
    answered = true;
    const shown = JSON.stringify([location.search, answers.map((a) => ({ ...a, now: '' }))]);
    for (const a of answers) if (a?.windows) site = known(a);
    say(paused ? 'paused' : 'live', paused ? 'paused' : 'live');
    if (fresh || shown !== last && !disturbs()) {
      last = shown;
      showHead(key, q, view.ranged);
      document.title = `${key === 'overview' && view === overview ? '' : `${plain(view.title(q))} · `}${plain(site.title)}`;
      replace(flat(view.show(answers, q)));
      dropCharts();
    }
  } catch (error) {
    if (mine !== turn) return;
    if (error instanceof Problem && error.status < 500) {
      showHead(key, q, view.ranged);
      if (fresh) replace(problemNodes(error));
    } else if (answered) { // a fault of this page
      replace(problemNodes(new Error('A fault of this page: it cannot show the answer.')));
      throw error;
    } else {
      say('connection lost, trying again', 'lost');
      if (!(error instanceof TypeError) && !(error instanceof Problem)) throw error;
    }
  } finally {
    if (mine === turn) Object.assign(main.dataset, { view: key || 'call', loaded: String(turn) });
    if (mine === turn && !paused && !past(q)) timer = setTimeout(() => { if (!document.hidden) load(false); }, site.refresh_ms ?? 2000);
  }
};

// past reports whether the time range is over.
const past = (q) => Boolean(q.get('until'));

const pause = (on) => {
  paused = on;
  pauseButton.textContent = on ? 'Resume' : 'Pause';
  pauseButton.setAttribute('aria-pressed', String(on));
  say(on ? 'paused' : 'live', on ? 'paused' : 'live');
  if (on) clearTimeout(timer);
  else load(false);
};

const start = () => {
  const data = document.getElementById('data');
  document.body.classList.add('scripted');
  if (data) {
    document.body.classList.add('report');
    replace(flat(report(JSON.parse(data.textContent))));
    main.dataset.loaded = '1';
    return;
  }
  document.addEventListener('click', (e) => {
    const a = e.target.closest('a[href^="?"]');
    if (!a || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    go(a.getAttribute('href'));
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  addEventListener('popstate', () => load(true));
  document.addEventListener('visibilitychange', () => { if (!document.hidden && !paused) load(false); });
  pauseButton.hidden = false;
  pauseButton.addEventListener('click', () => pause(!paused));
  load(true);
};

start();
