// Attributes whose values change kind: whatever the order in which documents come, in whatever batches, a
// field answers as one that held text from the start, at once; words without a field once its documents
// are indexed again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Random } from '../differential/random.ts';
import { caseCount } from '../support/case-count.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const SEED = 51;
const VALUES = [7, 12, 1.5, true, false, 'A-7', '12', 'true', 'Bonn am Rhein', '2024-05-01', 1e21];
const MIXED = [...VALUES, null, [], [3, 'x'], [true, 2]];

/** Queries on a field; `F` is its name. */
const QUERIES = [
  ...['_exists_:F', 'NOT _exists_:F', 'F:12', 'F:true', 'F:A*', 'F:1?', 'F:"bonn am"', 'F:"A-7"'],
  ...['F:[1 TO 10]', 'F:[2024 TO 2025]', 'F:>5', 'F.exact:12', 'F:/1.*/', 'F:bnn~'],
];

async function idsOf(body: Record<string, unknown>): Promise<readonly string[]> {
  const answer = await service.call('POST', '/v2025/search?limit=250', {
    indices: ['identities'],
    queryResultFilter: { includes: ['id'] },
    ...body,
  });
  const found = (await answer.json()) as readonly { id: string }[];
  assert.equal(answer.status, 200, JSON.stringify([body, found]));
  return found.map(({ id }) => id);
}

async function bucketsOf(field: string, filter: string): Promise<unknown> {
  const answer = await service.call('POST', '/v2025/search/aggregate', {
    ...{ indices: ['identities'], query: { query: filter } },
    aggregationsDsl: {
      terms: { terms: { field: `${field}.exact`, size: 50 } },
      distinct: { cardinality: { field: `${field}.exact` } },
      present: { value_count: { field: `${field}.exact` } },
    },
  });
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body;
}

/** All documents are indexed by the kinds that their fields have. */
const settled = () =>
  eventually(async () => {
    const { store, indexer } = service.origin.cardea;
    assert.deepEqual(await store.read.changedFields(), []);
    await indexer.waitFor(await store.read.lastSequence(), 60_000);
    await service.arrival();
  });

test('a field of mixed values answers as one that was text from the start, at once', async () => {
  const random = new Random(SEED);
  for (let round = 0; round < caseCount(3, 40); round++) {
    const mixed = `attributes.mixed${round}`;
    const plain = `attributes.plain${round}`;
    const member = (field: string) => field.slice('attributes.'.length);
    const own = `name:round${round}`;
    await service.addDocuments([
      { _type: 'identity', id: `text${round}`, attributes: { [member(plain)]: 'text' } },
    ]);
    await service.call('DELETE', `/admin/v1/documents/identities/text${round}`);
    const values = [...random.list(3, 20, () => random.pick(MIXED)), 'surely', 5];
    const documents = values
      .map((value, n) => ({ value, id: `r${round}-${String(n).padStart(2, '0')}` }))
      .sort(() => random.int(3) - 1)
      .map(({ value, id }) => ({
        ...{ _type: 'identity', id, name: `round${round}` },
        attributes: { [member(mixed)]: value, [member(plain)]: value },
      }));
    while (documents.length > 0) {
      const batch = documents.splice(0, 1 + random.int(7));
      const { failed } = await service.addDocuments(batch);
      assert.equal(failed, 0);
      for (const query of ['_exists_:F', 'NOT _exists_:F'] as const) {
        const ids = (field: string) =>
          idsOf({ query: { query: `${own} AND ${query.replace('F', field)}` }, sort: ['id'] });
        assert.deepEqual(await ids(mixed), await ids(plain), `round ${round}, ${query}`);
      }
    }
    const ask = async (field: string) => {
      const answers: unknown[] = [];
      for (const query of QUERIES) {
        const whole = `${own} AND (${query.replaceAll('F', field)})`;
        answers.push([query, await idsOf({ query: { query: whole }, sort: ['id'] })]);
      }
      for (const sign of ['', '-']) {
        answers.push(await idsOf({ query: { query: own }, sort: [`${sign}${field}`, 'id'] }));
      }
      return [...answers, await bucketsOf(field, own)];
    };
    assert.deepEqual(await ask(mixed), await ask(plain), `round ${round}: ${values}`);
    await settled();
    assert.deepEqual(await ask(mixed), await ask(plain), `round ${round}, indexed again`);
  }
});

test('words without a field find numbers as words once the field is text', async () => {
  const person = (id: string, code: unknown) => ({
    ...{ _type: 'identity', id, name: 'coded', attributes: { freeCode: code } },
  });
  const find = (query: string) => idsOf({ query: { query }, sort: ['id'] });
  await service.addDocuments([person('c1', 731950), person('c2', 731951)]);
  assert.deepEqual(await find('731950'), ['c1']);
  assert.deepEqual(await find('73195?'), []);
  const { warnings } = await service.addDocuments([person('c3', '731950-A')]);
  assert.deepEqual(warnings, [
    {
      line: 1,
      reason:
        'attributes.freeCode held whole numbers and holds text from here on, in all documents',
    },
  ]);
  await settled();
  assert.deepEqual(await find('73195?'), ['c1', 'c2', 'c3']);
  assert.deepEqual(await find('731950'), ['c1', 'c3']);
});

test('an object in the place of a value, and a value in the place of an object, are named', async () => {
  const { warnings } = await service.addDocuments([
    { _type: 'identity', id: 'o1', attributes: { asValue: 1, asObject: { city: 'Oslo' } } },
    { _type: 'identity', id: 'o2', attributes: { asValue: { city: 'Oslo' }, asObject: [2] } },
  ]);
  const named = ['asValue', 'asObject'].map(
    (name) =>
      `attributes.${name} is an object in some documents and a value in others; it is not found in this one`,
  );
  assert.deepEqual(warnings, [{ line: 2, reason: named.join('; ') }]);
  const ids = (query: string) => idsOf({ query: { query }, sort: ['id'] });
  assert.deepEqual(await ids('_exists_:attributes.asValue'), ['o1']);
  assert.deepEqual(await ids('attributes.asObject.city:oslo'), ['o1']);
});

test('kinds are those of the tenant and of the index', async () => {
  const person = { _type: 'identity', id: 'k1', attributes: { ownKind: 'x' } };
  const entitlement = { _type: 'entitlement', id: 'k1', attributes: { ownKind: 5 } };
  await service.addDocuments([person, entitlement]);
  const fields = await service.origin.cardea.store.read.dynamicFields(service.origin.tenantId);
  const own = fields.filter(({ field }) => field.path === 'attributes.ownKind');
  assert.deepEqual(
    own.map(({ index, field }) => [index, field.type]),
    [
      ['entitlements', 'long'],
      ['identities', 'text'],
    ],
  );
});
