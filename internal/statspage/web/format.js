// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Numbers as people read them, with the units of package display.

const three = (v) => {
  const a = Math.abs(v);
  if (!Number.isFinite(v)) return '–';
  if (a === 0) return '0';
  if (a >= 99.95) return v.toFixed(0);
  if (a >= 9.995) return v.toFixed(1);
  return a >= 0.995 ? v.toFixed(2) : String(Number(v.toPrecision(2)));
};

export const number3 = three;

export const count = (n) => String(n ?? 0).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');

export const counted = (n, one) => (n === 1 ? one : `${one}s`);
export const plural = (n, one) => `${count(n)} ${counted(n, one)}`;

const units = [[1e-3, 'µs', 1], [1, 'ms', 1e3], [1e3, 's', 6e4], [6e4, 'min', 36e5], [36e5, 'h', Infinity]];

// ms is a number of milliseconds.
export const ms = (v) => {
  if (!Number.isFinite(v)) return '–';
  if (v === 0) return '0 ms';
  if (v < 1e-3) return `${Math.round(v * 1e6)} ns`;
  const [size, unit] = units.find(([, , below]) => v < below * 0.9995) ?? units.at(-1);
  return `${three(v / size)} ${unit}`;
};

export const percent = (part) => {
  const p = part * 100;
  if (!Number.isFinite(p)) return '–';
  if (p === 0 || p === 100) return `${p} %`;
  if (p > 99.95) return '>99.9 %';
  if (p < 0.01) return '<0.01 %';
  return `${p.toFixed(p < 1 ? 2 : 1)} %`;
};

export const bytes = (n) => {
  if (n < 1024) return `${n} B`;
  let v = n / 1024;
  let unit = 0;
  for (; v >= 1023.5 && unit < 5; unit++) v /= 1024;
  return `${three(v)} ${'KMGTPE'[unit]}iB`;
};

// rate is how often calls were made, in the unit of time that gives at least 1; '' if there are too few.
export const rate = (calls, perSecond) => {
  if (calls < 2 || !(perSecond > 0)) return '';
  if (perSecond >= 0.995) return `${three(perSecond)}/s`;
  return perSecond * 60 >= 0.995 ? `${three(perSecond * 60)}/min` : `${three(perSecond * 3600)}/h`;
};

// change compares two values; null if there is nothing to compare. A rise of a bad value is bad.
export const change = (was, is) => {
  if (!(was > 0) || !(is > 0)) return null;
  const by = is / was - 1;
  if (Math.abs(by) < 0.005) return null;
  return { text: `${by > 0 ? '▲' : '▼'} ${three(Math.abs(by) * 100)} %`, up: by > 0 };
};

// millis is a time in milliseconds, with the digits beyond that a Date drops.
export const millis = (t) => Date.parse(t) + Number(`0.${/\.\d{3}(\d+)/.exec(t)?.[1] ?? 0}`);

const pad = (n) => String(n).padStart(2, '0');

export const clock = (t, millis) => {
  const d = new Date(t);
  const time = `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
  return millis ? `${time}.${String(d.getMilliseconds()).padStart(3, '0')}` : time;
};

export const day = (t) => {
  const d = new Date(t);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
};

export const moment = (t, millis) => `${day(t)} ${clock(t, millis)}`;

// ago is how long a time is past, coarsely.
export const ago = (t, now) => {
  const sec = (new Date(now) - new Date(t)) / 1000;
  if (sec < 2) return 'just now';
  if (sec < 120) return `${Math.floor(sec)} s ago`;
  if (sec < 7200) return `${Math.floor(sec / 60)} min ago`;
  return sec < 172800 ? `${Math.floor(sec / 3600)} h ago` : `${Math.floor(sec / 86400)} days ago`;
};
