// The requests of docs/rows.md and the searches of docs/command-line.md do what the pages say, on the demo company of
// docs/search.md. UPDATE_GOLDEN=1 writes the counts anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { examplesOf } from './examples.ts';

/** What docs/search.md tells its readers to start. */
const COMPANY = { seed: 1, identities: 400, now: Date.parse('2025-06-30T00:00:00Z') };
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments([...demoDocuments(COMPANY)]);
});
after(() => service.stop());

/** Puts a count in place of the one that a page claims from a line on. */
function update(page: string, line: number, pattern: RegExp, count: number): void {
  const lines = readFileSync(page, 'utf8').split('\n');
  const at = lines.findIndex((text, n) => n >= line - 1 && pattern.test(text));
  lines[at] = (lines[at] ?? '').replace(pattern, `$1${count}$2`);
  writeFileSync(page, lines.join('\n'));
}

describe('docs/rows.md', () => {
  const page = 'docs/rows.md';
  for (const { line, method, path, body, claim } of examplesOf(readFileSync(page, 'utf8'))) {
    test(`line ${line}: the request does what it claims`, async () => {
      const answer = await service.call(method, path, body);
      const text = await answer.text();
      assert.equal(answer.status, claim.status, text);
      let at = 0;
      for (const part of claim.texts) {
        const shown = claim.status === 400 ? text.replaceAll('\\"', '"') : text;
        const position = shown.indexOf(part, at);
        assert.ok(position >= 0, `${part} is not in its place in ${text.slice(0, 2_000)}`);
        at = position + part.length;
      }
      if (claim.status !== 200) return;
      if (claim.rows !== null) assert.equal((JSON.parse(text) as unknown[]).length, claim.rows);
      const total = Number(answer.headers.get('x-total-count'));
      assert.ok(total > 0);
      if (isUpdate) update(page, line, /^(# )[\d?]+( in all)/, total);
      else assert.equal(total, claim.total);
    });
  }
});

describe('docs/command-line.md', () => {
  const page = 'docs/command-line.md';
  const text = readFileSync(page, 'utf8');
  const commands = [...text.matchAll(/^cardea (search (?:\\\n|.)*?)(?: +# (\d+|\?) rows)?$/gm)];

  test('has searches', () => assert.ok(commands.length >= 6));

  for (const [whole, command = '', rows] of commands) {
    const line = text.slice(0, text.indexOf(whole)).split('\n').length;
    test(`line ${line}: cardea ${command.slice(0, 60)}`, async () => {
      const [unpiped = ''] = command.replaceAll('\\\n', ' ').split(' > ');
      const words = unpiped.match(/'[^']*'|\S+/g) ?? [];
      const args = words.map((word) => word.replaceAll("'", ''));
      const started = commandLine([...args], {
        env: {
          ...(args[0] === 'search' && { SAIL_BASE_URL: service.url }),
          SAIL_CLIENT_ID: service.clientId,
          SAIL_CLIENT_SECRET: service.clientSecret,
          CARDEA_DATA_DIR: service.dataDir,
        },
      });
      assert.equal(await started.ended, 0, started.err());
      if (rows === undefined) return;
      const lines = started.out().split('\n').length - 1 - Number(args.includes('--csv'));
      const count = args.includes('--count') ? Number(started.out()) : lines;
      assert.ok(count > 0);
      if (isUpdate) update(page, line, /( # )[\d?]+( rows$)/, count);
      else assert.equal(count, Number(rows));
    });
  }
});

test('one request has a row for each dormant privileged account, with owner, department and manager', async () => {
  const page = readFileSync('docs/rows.md', 'utf8');
  const [example = assert.fail('no example')] = examplesOf(page);
  const path = example.path.replace('format=csv', 'format=json');
  const answer = await service.call('POST', path, example.body);
  const rows = (await answer.json()) as Record<string, string>[];
  const expected = [...demoDocuments(COMPANY)].flatMap((document) => {
    const { _type, accounts = [] } = document as {
      _type?: string;
      accounts?: {
        name: string;
        privileged?: boolean;
        disabled?: boolean;
        accountAttributes?: { lastLogin?: string };
      }[];
    };
    if (_type !== 'identity') return [];
    return accounts
      .filter(({ privileged, disabled, accountAttributes }) => {
        const last = accountAttributes?.lastLogin;
        return privileged === true && disabled === false && last !== undefined && last < '2025';
      })
      .map(({ name }) => name);
  });
  assert.deepEqual(rows.map((row) => row['Account']).sort(), [...expected].sort());
  assert.ok(rows.length >= 2);
  for (const row of rows) {
    assert.ok(row['Owner'] && row['Department'] && row['Source'], JSON.stringify(row));
  }
});
