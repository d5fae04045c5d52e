// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

/* global uPlot */
import { h, s, go, address } from './dom.js';
import { ms, count, clock, day, moment } from './format.js';

const color = (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

// trend is a small picture of counts over time, with those of errors in front.
export const trend = (values, bad, label) => {
  const most = Math.max(1, ...values);
  const n = Math.max(1, values.length - 1);
  const line = (list) => list.map((v, i) => `${(100 * i / n).toFixed(1)},${(28 - 26 * v / most).toFixed(1)}`).join(' ');
  return s('svg', { class: 'trend', role: 'img', 'aria-label': label, viewBox: '0 0 100 30', preserveAspectRatio: 'none' },
    s('title', null, label),
    values.length > 1 && [s('polygon', { class: 'fill', points: `0,30 ${line(values)} 100,30` }), s('polyline', { class: 'stroke', points: line(values) })],
    bad && bad.some(Boolean) && s('polygon', { class: 'fill bad', points: `0,30 ${line(bad)} 100,30` }));
};

// edge is the lower bound of a distribution's counter, in milliseconds.
const edge = (i) => 2 ** (i / 2) / 1000;

// distribution is a small picture of running times on an axis that all rows of a table share.
export const distribution = (d, [low, high], p50, label) => {
  const width = 100 / Math.max(1, high - low);
  const most = Math.max(1, ...d.counts);
  const at = 100 * (2 * Math.log2(Math.max(p50 * 1000, 0.1)) - low) / Math.max(1, high - low);
  return s('svg', { class: 'dist', role: 'img', 'aria-label': label, viewBox: '0 0 100 30', preserveAspectRatio: 'none' },
    s('title', null, label), s('line', { class: 'axis', x1: 0, x2: 100, y1: 29.5, y2: 29.5 }),
    d.counts.map((n, i) => n > 0 && s('rect', { class: 'bar', x: (d.first + i - low) * width, width: width * 0.9,
      y: 29 - 27 * n / most, height: Math.max(1, 27 * n / most) })),
    p50 > 0 && s('line', { class: 'median', x1: at, x2: at, y1: 0, y2: 30 }));
};

// extent is the first and the last counter of distributions.
export const extent = (list) => {
  const used = list.filter((d) => d.counts.length > 0);
  return [Math.min(...used.map((d) => d.first), 40), Math.max(...used.map((d) => d.first + d.counts.length), 0)];
};

// Charts by their keys: one that is drawn again keeps its place, so that a pointer on it is not disturbed.
const charts = new Map();

// dropCharts removes the charts that are not on the page any more.
export const dropCharts = () => {
  for (const [key, c] of charts) {
    if (c.node.isConnected) continue;
    c.watch.disconnect();
    c.u?.destroy();
    charts.delete(key);
  }
};

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { for (const c of charts.values()) c.u?.redraw(); });

const timeAxis = (u, splits) => splits.map((t, i) => {
  const first = i === 0 || day(t * 1000) !== day(splits[i - 1] * 1000);
  const span = u.scales.x.max - u.scales.x.min;
  const time = clock(t * 1000);
  if (span > 2 * 86400) return first ? day(t * 1000).slice(5) : '';
  return (first && span > 3600 * 12 ? `${day(t * 1000).slice(5)} ` : '') + (span > 900 ? time.slice(0, 5) : time);
});

// logTicks are round values on a logarithmic axis: always two or more.
const logTicks = (low, high) => {
  const steps = high / low > 300 ? [1] : high / low > 20 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
    for (const step of steps) if (step * 10 ** p >= low && step * 10 ** p <= high) ticks.push(step * 10 ** p);
  }
  return ticks;
};

const axis = (more) => ({ stroke: () => color('--quiet'), font: '11px system-ui, sans-serif', ticks: { show: false },
  grid: { stroke: () => color('--line'), width: 1 }, ...more });

// chart shows columns of a view. kind has the series, the scale y and what is drawn below them.
const chart = (key, label, v, kind) => {
  let c = charts.get(key);
  const data = kind.data(v);
  if (!c) {
    c = { node: h('div', { class: 'chart', role: 'img', tabindex: '0' }), legend: h('p', { class: 'legend', 'aria-hidden': 'true' }) };
    charts.set(key, c);
    const options = () => ({
      width: Math.max(200, c.node.clientWidth), height: 200, legend: { show: false }, padding: [8, 26, 0, 0],
      cursor: { y: false, drag: { x: !c.v.report, y: false, setScale: false }, points: { show: false } },
      scales: { x: { time: true, range: () => [new Date(c.v.from) / 1000, new Date(c.v.to) / 1000] }, y: kind.scale(c) },
      axes: [axis({ values: timeAxis, space: 70, size: 28 }), axis({ size: 62, ...kind.axis(c) })],
      series: [{}, ...kind.series],
      hooks: {
        drawAxes: [(u) => kind.below?.(u, c.v)],
        setCursor: [(u) => { c.legend.textContent = u.cursor.idx === null ? kind.hint : kind.at(c.v, u.cursor.idx); }],
        setSelect: [(u) => {
          if (u.select.width < 8) return;
          const time = (x) => new Date(u.posToVal(x, 'x') * 1000).toISOString();
          const params = Object.fromEntries(new URLSearchParams(location.search));
          go(address({ ...params, window: '', since: time(u.select.left), until: time(u.select.left + u.select.width) }));
        }],
      },
    });
    c.watch = new ResizeObserver(() => {
      if (!c.node.isConnected || c.node.clientWidth === 0) return;
      if (c.u) c.u.setSize({ width: c.node.clientWidth, height: 200 });
      else c.u = new uPlot(options(), c.data, c.node);
    });
    c.watch.observe(c.node);
    c.legend.textContent = kind.hint;
  }
  c.v = v;
  c.data = data;
  c.node.setAttribute('aria-label', label);
  c.u?.setData(data);
  return h('div', { class: 'chartbox' }, c.node, c.legend, h('details', { class: 'small', id: `${key}-numbers` }, h('summary', null, 'As numbers'),
    h('div', { class: 'scroll' }, h('table', { class: 'plain' }, h('caption', { class: 'sr' }, label),
      h('thead', null, h('tr', null, ['Time', 'Calls', 'Errors', 'Median', 'p99'].map((x, i) => h('th', { scope: 'col', class: i ? null : 'text' }, x)))),
      h('tbody', null, v.chart.calls.map((n, i) => n > 0 && h('tr', null, h('th', { scope: 'row', class: 'text' }, moment(columnTime(v, i))),
        h('td', null, count(n)), h('td', null, count(v.chart.errors[i])), h('td', null, ms(v.chart.p50_ms[i] || NaN)), h('td', null, ms(v.chart.p99_ms[i] || NaN)))))))));
};

const columnTime = (v, i) => new Date(v.chart.start).getTime() + i * v.chart.width_seconds * 1000;
const times = (v) => v.chart.calls.map((_, i) => columnTime(v, i) / 1000 + v.chart.width_seconds / 2);
const about = (v, i) => `${clock(columnTime(v, i))}: ${count(v.chart.calls[i])} calls, ${count(v.chart.errors[i])} errors`;

// fillColumns fills a box of each column from one value to another.
const fillBox = (u, from, to, low, high, style) => {
  const x = u.valToPos(from, 'x', true);
  const y = u.valToPos(high, 'y', true);
  u.ctx.fillStyle = style;
  u.ctx.fillRect(x, y, Math.max(1, u.valToPos(to, 'x', true) - x - 1), Math.max(1, u.valToPos(low, 'y', true) - y));
};

const clipped = (u, draw) => {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  draw();
  u.ctx.restore();
};

// callsChart is calls over time, with the errors in front.
export const callsChart = (v) => chart('calls-chart', 'Calls and errors over time', v, {
  hint: v.report ? 'Calls by time, errors in red' : 'Calls by time, errors in red. Drag over a part of the time to see it alone.',
  data: (x) => [times(x), x.chart.calls],
  scale: () => ({ range: (u, low, high) => [0, Math.max(4, high * 1.1)] }),
  axis: () => ({ values: (u, list) => list.map((n) => (Number.isInteger(n) ? count(n) : '')) }),
  series: [{ show: true, stroke: 'transparent', points: { show: false } }],
  at: about,
  below: (u, x) => clipped(u, () => x.chart.calls.forEach((n, i) => {
    const from = columnTime(x, i) / 1000;
    if (n > 0) fillBox(u, from, from + x.chart.width_seconds, 0, n, color('--accent'));
    if (x.chart.errors[i] > 0) fillBox(u, from, from + x.chart.width_seconds, 0, x.chart.errors[i], color('--bad'));
  })),
});

const timesRange = (v) => {
  const points = (v.points ?? []).map((p) => p.ms);
  const heat = v.chart.heat.flatMap((d) => d.counts.flatMap((n, i) => (n > 0 ? [edge(d.first + i), edge(d.first + i + 1)] : [])));
  const all = (points.length > 0 ? points : heat).filter((x) => x > 0);
  let low = Math.max(1e-4, Math.min(...all, Infinity) * 0.8);
  let high = Math.max(...all, 0) * 1.25;
  if (high <= 0) [low, high] = [1, 1000];
  const wide = Math.sqrt(Math.max(1, 10 / (high / low)));
  return [low / wide, high * wide];
};

// timesChart is running times: each call if all are known, else how many ran for how long; with median and p99.
export const timesChart = (v) => chart('times-chart', 'Running times over time', v, {
  hint: v.points ? 'Each dot is a call, failed ones in red' : 'A stronger colour is more calls',
  data: (x) => [times(x), x.chart.p50_ms.map((y) => y || null), x.chart.p99_ms.map((y) => y || null)],
  scale: (c) => ({ distr: 3, range: () => timesRange(c.v) }),
  axis: (c) => ({ splits: () => logTicks(...timesRange(c.v)), filter: (u, splits) => splits, values: (u, list) => list.map((y) => ms(y)) }),
  series: [{ stroke: () => color('--p50'), width: 2, spanGaps: true }, { stroke: () => color('--p99'), width: 2, spanGaps: true }],
  at: (x, i) => `${about(x, i)}, median ${ms(x.chart.p50_ms[i] || NaN)}, p99 ${ms(x.chart.p99_ms[i] || NaN)}`,
  below: (u, x) => clipped(u, () => {
    if (x.points) {
      for (const p of x.points) {
        u.ctx.beginPath();
        u.ctx.arc(u.valToPos(new Date(p.t) / 1000, 'x', true), u.valToPos(p.ms, 'y', true), 3 * devicePixelRatio, 0, 7);
        u.ctx.fillStyle = color(p.failed ? '--bad' : '--h5');
        u.ctx.fill();
      }
      return;
    }
    const most = Math.max(1, ...x.chart.heat.flatMap((d) => d.counts));
    x.chart.heat.forEach((d, i) => d.counts.forEach((n, j) => {
      const from = columnTime(x, i) / 1000;
      const shade = Math.max(1, Math.ceil(8 * Math.log1p(n) / Math.log1p(most)));
      if (n > 0) fillBox(u, from, from + x.chart.width_seconds, edge(d.first + j), edge(d.first + j + 1), color(`--h${shade}`));
    }));
  }),
});
