// suite: shared B
// Documents and fields at the limits of OpenSearch: what it refuses delays nothing else, and fields of any
// depth that an import accepts can be found.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { FIRST_GENERATION } from '../../src/backends/opensearch/indexes/committed-state.ts';
import { openOpenSearchBackend } from '../../src/backends/opensearch/opensearch-backend.ts';
import { staticMapping, withFields } from '../../src/query/mapping/document-types.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { bytes, change, ids, OPTIONS, planOf } from '../contract/backend-world.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';
import { indexesOf, send } from './fed-world.ts';

let openSearch: OpenSearch;
/** The last change of the store. */
let last = 0;
before(async () => {
  openSearch = await sharedOpenSearch();
});

/** As long as a path may be, in parts of one letter. */
const DEEP = `attributes.${'a.'.repeat(250)}a`;
const DEEP_FIELD = { path: DEEP, type: 'text', nested: null, dynamic: true } as const;

function open(prefix: string, fields: readonly (typeof DEEP_FIELD)[] = []): SearchBackend {
  return openOpenSearchBackend({
    ...{ url: openSearch.url, prefix },
    mapping: (tenantId, index) =>
      withFields(staticMapping(index, { name: tenantId, pod: 'cardea' }), fields),
    lastSequence: async () => last,
  });
}

/** Applies changes and makes them searchable. */
async function feed(backend: SearchBackend, changes: readonly DocumentChange[]): Promise<void> {
  last = changes.at(-1)?.sequence ?? 0;
  await backend.apply('acme', changes);
  await backend.refresh();
  await backend.commit(last);
}

/** A change whose document has a member that no import accepts. */
function unreadable(sequence: number, id: string, member: string): DocumentChange {
  const document = {
    index: 'roles',
    id,
    root: bytes(`{"id":"${id}",${member}}`),
    nested: bytes(''),
  };
  return { ...change(sequence, id, null), document } as DocumentChange;
}

const MEMBERS = [
  ['a number of 1,001 digits', `"number":0.${'3'.repeat(1_001)}`],
  ['a name of 50,001 characters', `"${'n'.repeat(50_001)}":1`],
] as const;
for (const [at, [what, member]] of MEMBERS.entries()) {
  test(`a document that OpenSearch refuses delays no other one, and is warned of: ${what}`, async () => {
    const prefix = `refused${at}`;
    const backend = open(prefix);
    try {
      await feed(backend, [change(1, 'r1', 'One')]);
      const before = await uuidsOf(prefix);
      await feed(backend, [
        change(2, 'r2', 'Two'),
        unreadable(3, 'r3', member),
        change(4, 'r4', 'Four'),
      ]);
      const { hits } = await backend.search('acme', planOf(), OPTIONS);
      assert.deepEqual(ids(hits), ['r1', 'r2', 'r4']);
      assert.deepEqual(await uuidsOf(prefix), before);
      assert.match(String(backend.warnings?.()), /refuses 1 document,/);
      const [holdings] = await backend.holdings('acme');
      assert.deepEqual([holdings?.documents, holdings?.refused], [3, 1]);
      await feed(backend, [change(5, 'r3', 'Three')]);
      assert.deepEqual(backend.warnings?.(), []);
      assert.equal(await backend.count('acme', planOf(), OPTIONS), 4);
    } finally {
      await backend.close();
    }
  });
}

const CHANGED_MAPPINGS = [
  ['mapped', 'has mapped it', { properties: { colour: { type: 'long' } } }],
  ['strict', 'refuses other members', { dynamic: 'strict' }],
] as const;
for (const [prefix, what, mapping] of CHANGED_MAPPINGS) {
  test(`indexes that refuse a document because another program ${what} are fed again`, async () => {
    const backend = open(prefix);
    const blue = change(2, 'r2', 'Two');
    const document = { ...blue.document, root: bytes('{"id":"r2","colour":"blue"}') };
    const changes = [change(1, 'r1', 'One'), { ...blue, document } as DocumentChange];
    const url = `${openSearch.url}/${prefix}-acme-roles-${FIRST_GENERATION}/_mapping`;
    try {
      await feed(backend, changes.slice(0, 1));
      const before = await uuidsOf(prefix);
      await send(url, 'PUT', mapping);
      await assert.rejects(feed(backend, changes), { code: 'unavailable' });
      assert.equal(await backend.committedSequence(), 0);
      await feed(backend, changes);
      assert.equal(await backend.count('acme', planOf(), OPTIONS), 2);
      assert.notDeepEqual(await uuidsOf(prefix), before);
      assert.deepEqual(backend.warnings?.(), []);
      // Once: feeding waits then, and skips nothing.
      await send(url, 'PUT', mapping);
      const again = { ...changes[1], sequence: 3 } as DocumentChange;
      await assert.rejects(feed(backend, [again]), { code: 'unavailable' });
      assert.equal(await backend.committedSequence(), 2);
      assert.deepEqual(backend.warnings?.(), []);
    } finally {
      await backend.close();
    }
  });
}

async function uuidsOf(prefix: string): Promise<string[]> {
  const indexes = await indexesOf(openSearch.url, prefix);
  return indexes.map(({ uuid }) => uuid);
}

const deep = (sequence: number, id: string): DocumentChange => ({
  ...change(sequence, id, null, { index: 'identities' }),
  document: {
    ...{ index: 'identities', id, nested: bytes('') },
    root: bytes(JSON.stringify({ id, attributes: { [DEEP.slice('attributes.'.length)]: 'Deep' } })),
  },
});

test('a field in as many objects as a path can name is found, also after the index is filled again', async () => {
  const word = { kind: 'term', field: DEEP, form: 'word', value: 'deep' } as const;
  const plan = planOf({ indexes: ['identities'], query: word });
  const backend = open('deep', [DEEP_FIELD]);
  try {
    await feed(backend, [deep(2, 'i2')]);
    assert.deepEqual(ids((await backend.search('acme', plan, OPTIONS)).hits), ['i2']);
    await backend.clear();
    await feed(backend, [deep(3, 'i3')]);
    assert.deepEqual(ids((await backend.search('acme', plan, OPTIONS)).hits), ['i3']);
  } finally {
    await backend.close();
  }
});
