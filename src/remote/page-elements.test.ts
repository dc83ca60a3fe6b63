import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { staticMapping } from '../query/mapping/document-types.ts';
import type { Query } from '../query/query.ts';
import { matchingPositions, pageDocuments } from './page-elements.ts';

const MAPPING = staticMapping('identities', { name: '', pod: '' });
const SYNCED = '2025-01-01T00:00:00Z';

test('finds the matching elements of each document, in the order of the page', () => {
  const page = [
    { id: 'z', accounts: [{ id: '1', accountAttributes: { level: 'high' } }, { id: '2' }] },
    { id: 'a', accounts: [] },
    { id: 'ü', accounts: [{ id: '3' }, { id: '4', accountAttributes: { level: 'high' } }] },
  ];
  const documents = pageDocuments(page, MAPPING, SYNCED);
  assert.ok(documents.mapping.fields.has('accounts.accountAttributes.level'));
  const field = 'accounts.accountAttributes.level';
  const query: Query = { kind: 'term', field, form: 'folded', value: 'high' };
  assert.deepEqual(matchingPositions(documents, { path: 'accounts', query }), [[0], [], [1]]);
});

test('names a document that no index can hold', () => {
  assert.throws(
    () => pageDocuments([{ id: 'a', accountCount: 'many' }], MAPPING, SYNCED),
    (error: unknown) =>
      error instanceof ServiceError &&
      /document "a" of the service .*accountCount/.test(error.message),
  );
});
