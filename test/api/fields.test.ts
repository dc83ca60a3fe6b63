// Dynamic fields for administrators: what is listed of each, and which kinds its values allow.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';

const PATH = '/admin/v1/fields';
const LONG = 'x'.repeat(100);

let service: RunningService;
before(async () => {
  service = await startService();
  const identity = (id: string, attributes: object, pin: unknown) => ({
    ...{ _type: 'identity', id, name: id, attributes },
    accounts: [{ id: `a-${id}`, name: id, accountAttributes: { pin } }],
  });
  await service.addDocuments([
    identity('i-1', { grade: 7, rate: 1.5, boss: true, code: 'A-7', note: LONG }, 1),
    identity('i-2', { grade: 7, rate: 2, boss: false, code: '100' }, 2),
    identity('i-3', { grade: [8, 9], code: 'A-7' }, 2),
    { _type: 'role', id: 'r-1', name: 'Clerk', attributes: { level: 'high' } },
  ]);
});
after(() => service.stop());

type Row = Readonly<Record<string, unknown>> & { readonly examples: readonly string[] };

async function list(parameters = ''): Promise<readonly Row[]> {
  const answer = await service.call('GET', `${PATH}${parameters}`);
  assert.equal(answer.status, 200);
  return (await answer.json()) as Row[];
}

async function set(name: string, body: unknown) {
  const path = `${PATH}/identities/${encodeURIComponent(name)}`;
  const answer = await service.call('PATCH', path, body);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const LISTED: readonly (readonly [string, string, number, readonly string[]])[] = [
  ['accounts.accountAttributes.pin', 'long', 3, ['2', '1']],
  ['attributes.boss', 'boolean', 2, ['false', 'true']],
  ['attributes.code', 'text', 3, ['A-7', '100']],
  ['attributes.grade', 'long', 3, ['7', '8', '9']],
  ['attributes.note', 'text', 1, [`${'x'.repeat(59)}…`]],
  ['attributes.rate', 'double', 2, ['1.5', '2']],
];

test('lists the fields of an index by name, with kinds, documents, frequent values and the day', async () => {
  const rows = await list('?index=identities');
  assert.deepEqual(
    rows.map(({ name, kind, documents, examples }) => [name, kind, documents, examples]),
    LISTED,
  );
  for (const { index, since } of rows) {
    assert.equal(index, 'identities');
    assert.ok(Math.abs(Date.parse(String(since)) - Date.now()) < 600_000, String(since));
  }
});

test('lists the fields of all indexes, those of events too', async () => {
  const indexes = new Set((await list()).map(({ index }) => index));
  assert.deepEqual([...indexes], ['events', 'identities']);
  const answer = await service.call('GET', `${PATH}?index=people`);
  assert.equal(answer.status, 400);
});

/** What is refused, and the values and documents that are named. */
const REFUSED: readonly (readonly [name: string, kind: string, causes: readonly string[]])[] = [
  ['attributes.code', 'long', ['"A-7" in the document i-1', '"A-7" in the document i-3']],
  ['attributes.rate', 'long', ['1.5 in the document i-1']],
  ['attributes.boss', 'double', ['true in the document i-1', 'false in the document i-2']],
  [
    'attributes.grade',
    'boolean',
    ['7 in the document i-1', '8 in the document i-3', '9 in the document i-3'],
  ],
  ['accounts.accountAttributes.pin', 'boolean', ['2 in the document i-3']],
];

for (const [name, kind, causes] of REFUSED) {
  test(`refuses ${kind} for ${name}, and names what does not fit`, async () => {
    const { status, body } = await set(name, { kind });
    assert.equal(status, 400);
    for (const cause of causes) {
      const texts = (body['causes'] as { text: string }[]).map(({ text }) => text);
      assert.ok(
        texts.some((text) => text.startsWith(`${cause} is not `)),
        JSON.stringify(body),
      );
    }
  });
}

test('every value fits text, and a kind comes back that all values fit', async () => {
  for (const [name, kind] of [
    ['attributes.grade', 'text'],
    ['attributes.grade', 'long'],
    ['attributes.grade', 'double'],
    ['accounts.accountAttributes.pin', 'text'],
    ['accounts.accountAttributes.pin', 'long'],
    ['attributes.boss', 'text'],
    ['attributes.boss', 'boolean'],
  ] as const) {
    const { status, body } = await set(name, { kind });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body['name'], body['kind']], [name, kind]);
    const rows = await list('?index=identities');
    assert.equal(rows.find((row) => row['name'] === name)?.['kind'], kind);
  }
});

test('a change counts for the next query and is in the audit trail; what changes nothing is not', async () => {
  const search = (query: string) =>
    service.call('POST', '/v2024/search/count', { indices: ['identities'], query: { query } });
  assert.equal((await search('attributes.rate:abc*')).status, 400);
  assert.equal((await set('attributes.rate', { kind: 'text' })).status, 200);
  assert.equal((await search('attributes.rate:abc*')).status, 204);
  assert.equal((await set('attributes.rate', { kind: 'text' })).status, 200);
  await service.arrival();
  const answer = await service.call('POST', '/v2024/search', {
    ...{
      indices: ['events'],
      query: { query: 'action:ModifyField AND target.name:"attributes.rate"' },
    },
  });
  const events = (await answer.json()) as { attributes: Record<string, unknown> }[];
  const members = events.map(({ attributes: { index, before, after } }) => [index, before, after]);
  assert.deepEqual(members, [['identities', '{"kind":"double"}', '{"kind":"text"}']]);
});

const WRONG: readonly (readonly [name: string, body: unknown, status: number])[] = [
  ['attributes.missing', { kind: 'text' }, 404],
  ['displayName', { kind: 'text' }, 404],
  ['attributes.code', { kind: 'date' }, 400],
  ['attributes.code', { kind: 'text', documents: 3 }, 400],
  ['attributes.code', ['text'], 400],
];

for (const [name, body, expected] of WRONG) {
  test(`answers ${expected} to ${JSON.stringify(body)} for ${name}`, async () => {
    assert.equal((await set(name, body)).status, expected);
  });
}
