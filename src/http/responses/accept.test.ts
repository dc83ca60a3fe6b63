import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AcceptedForm, acceptedForm } from './accept.ts';

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
