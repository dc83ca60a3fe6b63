import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { readCsvForm } from './csv-import.ts';
import { csvSource } from './csv-source.ts';
import { AUTH_USER_TARGET, documentTarget } from './csv-target.ts';
import { suggestMap } from './suggest-map.ts';

const IDENTITIES = documentTarget(staticMapping('identities', { name: 'acme', pod: '' }));

async function* chunks(text: string) {
  yield Buffer.from(text);
}

const suggested = async (text: string, target = IDENTITIES) =>
  suggestMap(chunks(text), await readCsvForm({}), target);

/** The line of a map for a column. */
async function columnOf(head: string, values: readonly string[]): Promise<string> {
  const map = await suggested(`ID;${head}\n${values.map((one, n) => `${n};${one}\n`).join('')}`);
  return /^columns:\n.*\n {2}(.*?) {2}#/m.exec(map)?.[1] ?? map;
}

describe('a column is suggested as', () => {
  const CASES: readonly (readonly [head: string, values: readonly string[], line: string])[] = [
    ['Vorname', ['Ada'], 'Vorname: firstName'],
    ['Last name', ['Lovelace'], 'Last name: lastName'],
    ['E-Mail', ['a@b.test'], 'E-Mail: email'],
    ['Abteilung', ['Einkauf'], 'Abteilung: attributes.department'],
    ['FÜHRUNGSKRAFT', ['Ada'], 'FÜHRUNGSKRAFT: manager.name'],
    [
      'Eintrittsdatum',
      ['01.04.2019'],
      'Eintrittsdatum: { to: attributes.startDate, type: date, format: dd.MM.yyyy }',
    ],
    [
      'Eintrittsdatum',
      ['1.4.2019'],
      'Eintrittsdatum: { to: attributes.startDate, type: date, format: d.M.yyyy }',
    ],
    [
      'Hire date',
      ['01/31/2019', '01/02/2020'],
      'Hire date: { to: attributes.startDate, type: date, format: "MM/dd/yyyy" }',
    ],
    [
      'Hire date',
      ['31/01/2019'],
      'Hire date: { to: attributes.startDate, type: date, format: "dd/MM/yyyy" }',
    ],
    ['Hire date', ['2019-01-31'], 'Hire date: attributes.startDate'],
    ['Created', ['01.02.2020'], 'Created: { to: created, type: date, format: dd.MM.yyyy }'],
    ['Aktiv', ['ja', 'nein'], 'Aktiv: { to: inactive, type: boolean, true: [nein], false: [ja] }'],
    [
      'Status',
      ['aktiv', 'ausgetreten', 'ruhend', 'ausgetreten'],
      'Status: [attributes.status, { to: inactive, type: boolean, true: [ausgetreten] }]',
    ],
    ['Status', ['aktiv', 'ruhend'], 'Status: attributes.status'],
    ['Brille', ['ja', 'nein'], 'Brille: { to: attributes.brille, type: boolean }'],
    [
      'Letzter Urlaub (Tage)',
      ['007', '12'],
      '"Letzter Urlaub (Tage)": attributes.letzterUrlaubTage',
    ],
    ['attributes.anything', ['x'], 'attributes.anything: attributes.anything'],
    ['Größe', ['x'], 'Größe: attributes.grosse'],
  ];
  for (const [head, values, line] of CASES) {
    test(line, async () => assert.equal(await columnOf(head, values), line));
  }
});

test('a suggested map reads its file, and has a display name', async () => {
  const text = 'Personalnummer;Vorname;Nachname;Ort;Ort\n1;Ada;"Love;lace";x;y\n';
  const map = await suggested(text.replace('Ort;Ort', 'Ort;Stadt'));
  const form = await readCsvForm({ map });
  const lines: unknown[] = [];
  for await (const line of csvSource(
    chunks(text.replace('Ort;Ort', 'Ort;Stadt')),
    form,
    IDENTITIES,
  )) {
    lines.push(JSON.parse(String(line.text)));
  }
  assert.deepEqual(lines, [
    {
      ...{ id: '1', firstName: 'Ada', lastName: 'Love;lace', displayName: 'Ada Love;lace' },
      attributes: { city: 'x', stadt: 'y' },
    },
  ]);
});

test('rows that repeat an id are suggested as accounts', async () => {
  const text = 'Personalnummer,System,Login,Gesperrt\n1,AD,ada,ja\n2,AD,bob,nein\n1,SAP,ADA,nein\n';
  assert.equal(
    await suggested(text),
    `# Suggested by the heads and the first rows. Check it, and import with --map.
index: identities
elements: accounts
match: { Personalnummer: id }
key: [source.name, name]
columns:
  System: source.name  # AD | SAP
  Login: name  # ada | bob | ADA
  Gesperrt: disabled  # ja | nein
`,
  );
});

test('what is missing is said', async () => {
  assert.match(await suggested('Ort\nx\n'), /# Missing: a column mapped to id/);
  const users = await suggested('Personalnummer,Rechte\n1,ORG_ADMIN\n', AUTH_USER_TARGET);
  assert.match(users, /Rechte: capabilities/);
  assert.match(users, /# Missing: a column mapped to uid/);
  assert.doesNotMatch(users, /index:/);
  await assert.rejects(suggested(''), /the file is empty/);
});
