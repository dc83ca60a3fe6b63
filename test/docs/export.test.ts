// suite: slow
// The commands of docs/export.md run as they are printed, one after the other, and what the page says
// of fields is so.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fieldKind } from '../../src/export/anonymise/field-kinds.ts';
import { commandLine } from '../support/command-line.ts';
import { companyTenant, emptyTenant } from '../support/exported-company.ts';

const page = readFileSync('docs/export.md', 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'cardea-export-docs-'));
const source = join(directory, 'source');
const target = join(directory, 'target');

before(async () => {
  await companyTenant(source);
  await emptyTenant(target);
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** The arguments of each command, in the order of the page. */
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.split('\n').flatMap((line) => {
    const [, command] = /^(?:npx )?cardea (.*?)(?: +#.*)?$/.exec(line) ?? [];
    if (command === undefined) return [];
    const words = command.match(/'[^']*'|\S+/g) ?? [];
    return [words.map((word) => word.replaceAll("'", '').replace(/^\.\//, `${directory}/`))];
  }),
);

test('the page has commands of both kinds', () => {
  const names = new Set(commands.map(([name]) => name));
  assert.deepEqual([...names].sort(), ['export', 'import']);
  assert.ok(commands.length >= 9);
});

for (const args of commands) {
  test(`cardea ${args.join(' ').replaceAll(directory, '.')}`, async () => {
    const dataDir = args[0] === 'export' ? source : target;
    const line = commandLine([...args, '--data-dir', dataDir]);
    assert.equal(await line.ended, 0, line.err() + line.out());
    assert.match(line.out(), /\d bytes\.\n$|, 0 failed\.\n$/);
  });
}

test('the fields that the page says stay do so', () => {
  for (const path of ['status', 'access.type', 'accounts.source.type', 'access.attribute']) {
    assert.ok(page.includes(`\`${path}\``), path);
    assert.equal(fieldKind('identities', path), 'keep');
  }
  assert.equal(fieldKind('events', 'technicalName'), 'keep');
  assert.equal(fieldKind('identities', 'attributes.department'), 'value');
});
