import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeOf } from '../../../../test/support/attributes.ts';
import type { Records } from '../../ports/store.ts';
import { attributeFilters, conditionsOfFilters } from './profile-filters.ts';

/** A store in which every name is the uid of a text. */
const records = {
  attributesBy: async (_tenantId: string, _column: string, uids: readonly string[]) =>
    uids.filter((uid) => uid !== 'nothing').map((uid) => attributeOf({ id: `id-${uid}`, uid })),
} as unknown as Records;
const filters = (count: number) =>
  attributeFilters(records, 't', new Map(Array.from({ length: count }, (_, n) => [`a${n}`, 'x'])));

test('takes a hundred filters on attributes, and refuses more', async () => {
  assert.equal((await filters(100)).conditions.length, 100);
  await assert.rejects(filters(101), {
    code: 'request_invalid',
    message: 'a list has at most 100 filters on attributes, and here are 101',
  });
});

test('an empty value is no filter, and no unknown parameter', async () => {
  const sent = new Map([
    ['first', ''],
    ['last', ' Ada '],
    ['nothing', 'x'],
  ]);
  assert.deepEqual(await attributeFilters(records, 't', sent), {
    conditions: [
      {
        ...{ kind: 'value', attributeId: 'id-last', negated: false },
        test: { kind: 'equals', text: 'ada' },
      },
    ],
    uids: ['last'],
    unknown: ['nothing'],
  });
});

test('filters on the record become the conditions by which a search chooses its index', () => {
  assert.deepEqual(conditionsOfFilters({}), []);
  assert.deepEqual(conditionsOfFilters({ status: 'Active', profileTypeId: 't1', uid: 'u' }), [
    { kind: 'profileType', id: 't1', negated: false },
    { kind: 'status', statuses: ['Active'] },
    { kind: 'record', filters: { uid: 'u' } },
  ]);
});
