// cardea field: lists and changes the kinds of dynamic fields by the search of a data directory.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startService } from '../support/service.ts';

const DOCUMENTS = [
  { _type: 'identity', id: 'i-1', name: 'Ada', attributes: { grade: 7, code: 'A-7' } },
  { _type: 'identity', id: 'i-2', name: 'Ben', attributes: { grade: 8 } },
];

let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-field-'));
  assert.equal((await cardea(['tenant', 'create', 'acme', '--admin', 'ada'])).code, 0);
  const lines = DOCUMENTS.map((document) => JSON.stringify(document)).join('\n');
  assert.equal((await cardea(['import', '-'], [Buffer.from(lines)])).code, 0);
});
after(() => rmSync(directory, { recursive: true, force: true }));

async function cardea(args: readonly string[], stdin: Uint8Array[] = []) {
  const line = commandLine([...args, '--data-dir', directory], { stdin });
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

const list = (...args: string[]) => cardea(['field', 'list', '--index', 'identities', ...args]);
const set = (name: string, kind: string) => cardea(['field', 'set', 'identities', name, kind]);

test('lists fields as lines and as JSON', async () => {
  const { code, out, err } = await list();
  assert.equal(code, 0, err);
  assert.deepEqual(out.replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY').split('\n'), [
    'identities  attributes.code  text  1 document  since DAY  A-7',
    'identities  attributes.grade  long  2 documents  since DAY  7 | 8',
    '',
  ]);
  const [first = ''] = (await list('--json')).out.split('\n');
  const { since, ...row } = JSON.parse(first);
  assert.ok(Date.parse(since) > 0);
  assert.deepEqual(row, {
    ...{ index: 'identities', name: 'attributes.code', kind: 'text' },
    ...{ documents: 1, examples: ['A-7'] },
  });
  const none = await cardea(['field', 'list', '--index', 'roles']);
  assert.deepEqual([none.code, none.out], [0, '']);
  assert.match(none.err, /no dynamic field/);
});

test('sets a kind, and lists it from then on', async () => {
  const { code, out, err } = await set('attributes.grade', 'double');
  assert.equal(code, 0, err);
  assert.match(out, /^identities {2}attributes\.grade {2}double {2}2 documents/);
  assert.match((await list()).out, /attributes\.grade {2}double/);
});

const REFUSED = [
  ['attributes.code', 'long', 1, /^error: "A-7" in the document i-1 is not a whole number\n$/],
  ['attributes.grade', 'boolean', 1, /^error: 7 in the document i-1 is not true or false; 8 in/],
  ['attributes.missing', 'text', 1, /^error: name "attributes.missing": only fields such as/],
  ['attributes.code', 'date', 2, /^error: kind "date" is not one of text, long, double, boolean/],
] as const;

test('refuses what does not fit, an unknown field and an unknown kind', async () => {
  for (const [name, kind, code, reason] of REFUSED) {
    const refused = await set(name, kind);
    assert.equal(refused.code, code, name);
    assert.match(refused.err, reason);
  }
  assert.equal((await cardea(['field', 'list', '--index', 'people'])).code, 2);
});

test('asks the server of the data directory', async () => {
  const service = await startService();
  try {
    await service.addDocuments(DOCUMENTS);
    const run = async (...args: string[]) => {
      const line = commandLine(['field', ...args, '--data-dir', service.dataDir]);
      return { code: await line.ended, out: line.out(), err: line.err() };
    };
    const listed = await run('list', '--index', 'identities');
    assert.equal(listed.code, 0, listed.err);
    assert.match(listed.out, /attributes\.grade {2}long/);
    const changed = await run('set', 'identities', 'attributes.grade', 'text');
    assert.equal(changed.code, 0, changed.err);
    assert.match((await run('list')).out, /attributes\.grade {2}text/);
    for (const [name, kind, code, reason] of REFUSED) {
      const refused = await run('set', 'identities', name, kind);
      assert.equal(refused.code, code, name);
      assert.match(refused.err, reason);
    }
    assert.equal((await run('list', '--index', 'people')).code, 2);
  } finally {
    await service.stop();
  }
});
