// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// A Problem is an answer of the server that is not what was asked for.
export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const path = (...parts) => parts.map(encodeURIComponent).join('/');

// resource is the address of a resource below api/v1, with parameters of which empty ones are left out.
export const resource = (parts, params = {}) => {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') q.set(key, value);
  }
  const query = q.toString();
  return `api/v1/${path(...parts)}${query ? `?${query}` : ''}`;
};

// read fetches a resource. The browser asks the server whether its copy is current.
export const read = async (address) => {
  const answer = await fetch(address, { headers: { Accept: 'application/json' } });
  if (answer.ok) return answer.json();
  let detail = `the server answered ${answer.status}`;
  try {
    detail = (await answer.json()).detail ?? detail;
  } catch {
    // It was no problem in JSON.
  }
  throw new Problem(answer.status, detail);
};

// range is the time range of the page's address as parameters of a resource.
export const range = () => {
  const q = new URLSearchParams(location.search);
  return { window: q.get('window'), since: q.get('since'), until: q.get('until') };
};
