// The numbers and code of docs/reports.md, and the columns of results, are those of the service. shell-pages.test.ts runs its commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { webhookSignature } from '../../src/jobs/reports/webhook-sender.ts';
import { indexOfType } from '../../src/query/mapping/document-types.ts';
import { DOCUMENT_COLUMNS } from '../../src/query/rows/default-columns.ts';
import {
  MAX_OPEN_RUNS,
  MAX_SEARCHES_PER_OWNER,
} from '../../src/service/saved-searches/saved-searches.ts';
import { MAX_RECIPIENTS } from '../../src/service/saved-searches/scheduled-search-request.ts';

const page = readFileSync('docs/reports.md', 'utf8');

test('the OpenAPI document lists the columns of each type', () => {
  const text = readFileSync('docs/openapi.source.yaml', 'utf8');
  const [, list = ''] = /A type without columns has these:\n((?: +- .*\n)+)/.exec(text) ?? [];
  const rows = [...list.matchAll(/- `(\w+)`: (.+)$/gm)].map(([, type = '', fields = '']) => [
    indexOfType(type),
    fields.split(', '),
  ]);
  assert.deepEqual(Object.fromEntries(rows), DOCUMENT_COLUMNS);
});

test('the numbers of docs/limits.md are those of the code', () => {
  const limits = readFileSync('docs/limits.md', 'utf8');
  const number = (value: number) => value.toLocaleString('en-US');
  for (const pattern of [
    new RegExp(`\\| saved searches of a user \\| ${number(MAX_SEARCHES_PER_OWNER)} \\|`),
    new RegExp(
      `\\| schedules of a saved search; recipients of one \\| \\d+; ${MAX_RECIPIENTS} \\|`,
    ),
    new RegExp(`\\| runs of a tenant that wait; .* \\| ${MAX_OPEN_RUNS}; `),
  ]) {
    assert.match(limits, pattern);
  }
});

test('the code of the page accepts what the webhook sends, and nothing else', async () => {
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const { isGenuine } = (await import(url)) as {
    isGenuine(headers: object, body: string, secret: string, now?: number): boolean;
  };
  const [secret, body, timestamp] = ['a secret of the test', '{"id":1}', '1770000000'];
  const signature = webhookSignature(secret, timestamp, body);
  const headers = { 'cardea-timestamp': timestamp, 'cardea-signature': signature };
  const now = Number(timestamp) + 10;
  assert.equal(isGenuine(headers, body, secret, now), true);
  assert.equal(isGenuine(headers, `${body} `, secret, now), false);
  assert.equal(isGenuine(headers, body, 'another secret', now), false);
  assert.equal(isGenuine(headers, body, secret, now + 1_000), false);
  const later = { ...headers, 'cardea-timestamp': String(now) };
  assert.equal(isGenuine(later, body, secret, now), false);
  assert.equal(isGenuine({ ...headers, 'cardea-signature': '' }, body, secret, now), false);
});
