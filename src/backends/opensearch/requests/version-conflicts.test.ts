import assert from 'node:assert/strict';
import test from 'node:test';
import type { DocumentChange } from '../../../service/ports/store.ts';
import { BulkWriter } from './bulk.ts';
import type { OpenSearchClient } from './client.ts';
import type { DocumentWriter } from './documents.ts';

const WRITER = { write: () => Buffer.from('x') } as unknown as DocumentWriter;
const CONFLICT = { status: 409, error: { type: 'version_conflict_engine_exception', reason: '' } };

const changeOf = (deleted: boolean): DocumentChange => ({
  ...({ sequence: 7, tenantId: 't', index: 'roles', id: 'r' } as const),
  document: deleted ? null : ({} as never),
});

/** Sends a change that conflicts `conflicts` times. @returns the second and later actions, refusals */
async function flush(
  { deleted, held, current }: Case,
  conflicts = 1,
): Promise<{ readonly actions: readonly unknown[]; readonly refusals: number }> {
  const sent: string[] = [];
  let left = conflicts;
  const send = async ({ path, lines }: { path: string; lines?: Buffer }): Promise<object> => {
    if (path === '/_mget') return { docs: [held] };
    sent.push(String(lines).split('\n')[0] ?? '');
    left -= 1;
    return left < 0 ? { errors: false, items: [] } : { errors: true, items: [{ index: CONFLICT }] };
  };
  const records = {
    documentVersionsById: async () => (current === null ? [] : [{ id: 'r', sequence: current }]),
  };
  const bulk = new BulkWriter({ send } as unknown as OpenSearchClient, records);
  await bulk.add('a', changeOf(deleted), WRITER);
  const refusals = await bulk.flush();
  const actions = sent.slice(1).map((line) => JSON.parse(line) as unknown);
  return { actions, refusals: refusals.length };
}

interface Case {
  readonly deleted: boolean;
  /** What OpenSearch has. */
  readonly held: object;
  /** The change that the store has; null: none. */
  readonly current: number | null;
}

const AT = { _index: 'a', _id: 'r', require_alias: true };
const heldAt = (sequence?: number) => ({
  ...{ found: true, _seq_no: 3, _primary_term: 1 },
  _source: sequence === undefined ? { name: 'x' } : { '%sequence': sequence },
});
const AS_READ = { ...AT, if_seq_no: 3, if_primary_term: 1 };

const CASES: readonly (readonly [what: string, of: Case, actions: readonly unknown[]])[] = [
  ['a replay', { deleted: false, held: heldAt(7), current: 7 }, []],
  ['a later change', { deleted: false, held: heldAt(8), current: 8 }, []],
  ['an older document', { deleted: false, held: heldAt(6), current: 7 }, [{ index: AS_READ }]],
  ['a foreign document', { deleted: false, held: heldAt(), current: 7 }, [{ index: AS_READ }]],
  ['a deletion', { deleted: false, held: { found: false }, current: 7 }, [{ create: AT }]],
  ['a deletion of the store', { deleted: false, held: { found: false }, current: null }, []],
  ['a late change', { deleted: false, held: heldAt(6), current: 9 }, []],
  ['what is deleted', { deleted: true, held: { found: false }, current: null }, []],
  ['what must be deleted', { deleted: true, held: heldAt(), current: null }, [{ delete: AS_READ }]],
  ['what is stored again', { deleted: true, held: heldAt(8), current: 8 }, []],
  ['what is damaged', { deleted: true, held: heldAt(6), current: 7 }, [{ delete: AS_READ }]],
];
for (const [what, of, actions] of CASES) {
  test(`a change that conflicts is written over what it replaces: ${what}`, async () => {
    assert.deepEqual(await flush(of), { actions, refusals: 0 });
  });
}

test('a document that another program writes again and again holds up no other one', async () => {
  const { refusals } = await flush({ deleted: false, held: heldAt(), current: 7 }, 99);
  assert.equal(refusals, 1);
});
