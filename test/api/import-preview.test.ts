// Previews of imports: what a file would become, without storing anything.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ImportPreview } from '../../src/service/imports/csv/csv-preview.ts';
import { addUser, tokenOf } from '../support/callers.ts';
import { documented } from '../support/documented.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const PEOPLE = '/admin/v1/documents/preview?index=identities';
const USERS = '/admin/v1/auth-users/preview';

async function preview(
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<ImportPreview & { readonly messages?: unknown; readonly causes?: readonly string[] }> {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await service.token()}`,
      'content-type': 'text/csv',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  await documented('POST', path, answer);
  const text = await answer.text();
  return JSON.parse(text);
}

const FILE =
  'Personalnummer;Vorname;Nachname;Eintrittsdatum;Aktiv\n1001;Jürgen;Müller;01.04.2019;ja\n1002;Ada;Sommer;32.01.2020;nein\n;Bea;Ohne;01.01.2020;ja\n';

test('suggests a map, and shows each row as it would be imported, or why not', async () => {
  const first = await preview(PEOPLE, FILE.replace('32.01', '31.01'));
  assert.deepEqual(first.map, {
    index: 'identities',
    columns: {
      Personalnummer: 'id',
      Vorname: 'firstName',
      Nachname: 'lastName',
      Eintrittsdatum: { to: 'attributes.startDate', type: 'date', format: 'dd.MM.yyyy' },
      Aktiv: { to: 'inactive', type: 'boolean', true: ['nein'], false: ['ja'] },
    },
    set: { displayName: '{Vorname} {Nachname}' },
  });
  assert.deepEqual(first.columns[0], { head: 'Personalnummer', examples: ['1001', '1002'] });
  assert.deepEqual(first.missing, []);
  assert.ok(first.members.includes('attributes.department'));
  const { rows, faults, checked } = await preview(
    `${PEOPLE}&map=${encodeURIComponent(JSON.stringify(first.map))}`,
    FILE,
  );
  assert.deepEqual(rows, [
    {
      line: 2,
      record: {
        ...{ id: '1001', firstName: 'Jürgen', lastName: 'Müller', displayName: 'Jürgen Müller' },
        ...{ attributes: { startDate: '2019-04-01' }, inactive: false },
      },
    },
  ]);
  assert.deepEqual(
    [checked, faults.map(({ line }) => line), faults[0]?.reason.includes('32.01.2020')],
    [3, [3, 4], true],
  );
  const stored = await service.call('GET', '/v2024/search/identities/1001');
  assert.equal(stored.status, 404);
});

test('leaves out what the end of the beginning of a file cuts off', async () => {
  const cut = FILE.slice(0, FILE.indexOf('32.01') + 3);
  assert.equal((await preview(PEOPLE, cut)).checked, 2);
  assert.equal((await preview(`${PEOPLE}&partial=true`, cut)).checked, 1);
  const quoted = 'id,displayName\n1,Ada\n2,"Be';
  assert.deepEqual((await preview(`${PEOPLE}&partial=true`, quoted)).faults, []);
  const json = { 'content-type': 'application/x-ndjson' };
  const lines = '{"_type":"identity","id":"1","name":"a"}\n{"_type":"ide';
  const { rows, faults, map } = await preview(`${PEOPLE}&partial=true`, lines, json);
  assert.deepEqual([rows.length, faults.length, map], [1, 0, null]);
  assert.equal((await preview(PEOPLE, lines, json)).faults.length, 1);
});

test('takes heads that are names of members as they are, also with elements', async () => {
  const file = 'id,displayName,accounts.id,accounts.name\n1,Ada,a;b,x;y\n1,Ada,c,z\n';
  const { map, faults, rows } = await preview(PEOPLE, gzipSync(file), {
    'content-encoding': 'gzip',
  });
  const columns = file.split('\n')[0]?.split(',') ?? [];
  assert.deepEqual(map, { columns: Object.fromEntries(columns.map((one) => [one, one])) });
  assert.deepEqual([faults.length, rows.length], [0, 2]);
});

const CASES: readonly (readonly [
  what: string,
  path: string,
  body: Uint8Array,
  expected: RegExp,
])[] = [
  ['an encoding', PEOPLE, Buffer.from('id,displayName\n1,M\xfcller\n', 'latin1'), /windows-1252/],
  ['an empty file', PEOPLE, Buffer.from(''), /empty/],
  ['no id', PEOPLE, Buffer.from('Vorname\nAda\n'), /no column is mapped to "id"/],
  ['a level', USERS, Buffer.from('id,uid,capabilities\n1,ada,\u0001\n'), /control character/],
  ['no login', USERS, Buffer.from('id,displayName\n77,Ada\n'), /uid is missing/],
  ['many columns', PEOPLE, Buffer.from(`${'a,'.repeat(2_001)}a\n`), /2002 columns/],
];
for (const [what, path, body, expected] of CASES) {
  test(`says at its line what is wrong: ${what}`, async () => {
    const { faults } = await preview(path, body);
    assert.match(faults[0]?.reason ?? 'nothing', expected);
  });
}

test('previews changes of auth users that there are', async () => {
  const user = await addUser(service, { capabilities: [] });
  const body = `Personalnummer,Rechte\n${user.userId},HELPDESK; REPORT_ADMIN\n`;
  const { rows, faults } = await preview(USERS, body);
  assert.deepEqual(faults, []);
  assert.deepEqual(rows[0]?.record, {
    ...{ id: user.userId, capabilities: ['HELPDESK', 'REPORT_ADMIN'] },
  });
  const token = await tokenOf(service.url, user);
  const refused = await fetch(service.url + USERS, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body,
  });
  assert.equal(refused.status, 403);
});

test('refuses a map that is not valid, by name', async () => {
  const { causes } = await preview(
    `${PEOPLE}&map=${encodeURIComponent('{"colums":{}}')}`,
    'id\n1\n',
  );
  assert.match(JSON.stringify(causes), /did you mean columns/);
});
