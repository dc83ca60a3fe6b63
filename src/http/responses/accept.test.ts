import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AcceptedForm, acceptedForm, acceptedRows, prefersHtml } from './accept.ts';

const CASES: readonly (readonly [string | undefined, AcceptedForm])[] = [
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['text/csv', 'csvOnly'],
  ['Text/CSV;charset=utf-8', 'csvOnly'],
  ['application/json, text/csv', 'json'],
  ['text/csv, application/json', 'json'],
  ['text/csv, application/json;q=0.9', 'csv'],
  ['text/csv, */*;q=0.1', 'csv'],
  ['text/csv, application/json;q=0', 'csvOnly'],
  ['text/csv;q=0.5, */*', 'json'],
  ['text/*', 'csvOnly'],
  ['application/*, text/csv;q=0.1', 'json'],
  ['text/csv;q=0', 'json'],
  ['text/csv;q=nonsense, application/json;q=0', 'json'],
];

for (const [accept, form] of CASES) {
  test(`Accept ${JSON.stringify(accept)} selects ${form}`, () => {
    assert.equal(acceptedForm(accept), form);
  });
}

const ROWS: readonly (readonly [string | undefined, 'json' | 'ndjson' | 'csv'])[] = [
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson, text/csv;q=0.9', 'ndjson'],
  ['text/csv', 'csv'],
  ['text/csv, application/json', 'json'],
  ['image/png', 'json'],
];
for (const [accept, form] of ROWS) {
  test(`Accept ${JSON.stringify(accept)} selects rows as ${form}`, () => {
    assert.equal(acceptedRows(accept), form);
  });
}

const PAGES: readonly (readonly [string | undefined, boolean])[] = [
  [undefined, false],
  ['*/*', false],
  ['application/json, text/plain, */*', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, text/html;q=0.5', false],
];
for (const [accept, isBrowser] of PAGES) {
  test(`Accept ${JSON.stringify(accept)} ${isBrowser ? 'prefers' : 'does not prefer'} HTML`, () => {
    assert.equal(prefersHtml(accept), isBrowser);
  });
}
