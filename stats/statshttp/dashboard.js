// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// The page is whole without this script. With it, the page is fetched again when
// the server says that there is something new, and its sections are exchanged.
'use strict';
(() => {
  const source = document.body.dataset.stream;
  const status = document.getElementById('live');
  const button = document.getElementById('pause');
  if (!source || !window.EventSource) return;

  let events = null;
  let paused = false;
  let busy = false;
  let again = false;

  const say = (text, state) => {
    if (status.dataset.state === state) return; // else screen readers read it each time
    status.textContent = text;
    status.dataset.state = state;
  };

  // place remembers what a person is at, and gives it back after an exchange.
  const place = (section) => {
    const at = document.activeElement;
    const id = at && at.id;
    const link = at && at.getAttribute && at.getAttribute('href');
    const within = section.contains(at);
    const scrolls = [...section.querySelectorAll('.scroll')].map((e) => e.scrollLeft);
    const open = [...section.querySelectorAll('details[open]')].map((e) => e.id);
    return (now) => {
      [...now.querySelectorAll('.scroll')].forEach((e, i) => { e.scrollLeft = scrolls[i] || 0; });
      now.querySelectorAll('details').forEach((e) => { e.open = open.includes(e.id); });
      if (!within) return;
      const to = (id && document.getElementById(id)) ||
        [...now.querySelectorAll('a')].find((a) => a.getAttribute('href') === link);
      if (to) to.focus({ preventScroll: true });
    };
  };

  const exchange = (page) => {
    for (const now of page.querySelectorAll('main section[id], footer section[id]')) {
      const old = document.getElementById(now.id);
      if (!old || old.innerHTML === now.innerHTML) continue;
      // A form that is being filled in stays; what is around it may not move either.
      const at = document.activeElement;
      if (old.contains(at) && at.matches('input, select')) continue;
      const restore = place(old);
      const fresh = document.importNode(now, true);
      old.replaceWith(fresh);
      restore(fresh);
    }
  };

  const refresh = async () => {
    if (busy || paused || document.hidden) { again = true; return; }
    busy = true;
    again = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        if (!paused) exchange(page);
      }
    } catch {
      // The stream says when the server is back.
    } finally {
      busy = false;
    }
  };

  const listen = () => {
    events = new EventSource(source);
    events.addEventListener('open', () => say('live', 'live'));
    events.addEventListener('error', () => say('connection lost, trying again', 'lost'));
    events.addEventListener('summary', refresh);
  };

  const pause = (on) => {
    paused = on;
    button.textContent = on ? 'Resume' : 'Pause';
    button.setAttribute('aria-pressed', String(on));
    if (on) {
      if (events) events.close();
      say('paused', 'paused');
    } else {
      listen();
      refresh();
    }
  };

  button.hidden = false;
  button.addEventListener('click', () => pause(!paused));
  document.addEventListener('visibilitychange', () => { if (!document.hidden && again) refresh(); });
  window.addEventListener('pagehide', () => { if (events) events.close(); });
  window.addEventListener('pageshow', (e) => { if (e.persisted && !paused) listen(); });
  listen();
})();
