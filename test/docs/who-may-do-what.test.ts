// The commands of docs/who-may-do-what.md run as they are printed, and its tables are those of the
// code.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ACCESS, type Operation } from '../../src/auth/access.ts';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { listEndpoints } from '../../src/http/routes/lists.ts';
import { readCollectionFilter } from '../../src/query/collections/collection-filter.ts';
import { AUTH_USER_FIELDS } from '../../src/service/ports/auth-user-list.ts';
import { commandLine } from '../support/command-line.ts';
import { documented } from '../support/documented.ts';
import { lines } from '../support/exported-company.ts';
import { type RunningService, startService } from '../support/service.ts';
import { curlExamplesOf } from './curl-examples.ts';

const page = readFileSync('docs/who-may-do-what.md', 'utf8');
const COMPANY = { seed: 1, identities: 400, now: Date.parse('2025-06-30T00:00:00Z') };

const directory = mkdtempSync(join(tmpdir(), 'cardea-holders-docs-'));
let service: RunningService;
let userId = '';
before(async () => {
  service = await startService();
  const users = [...demoAuthUsers({ ...COMPANY, tenant: 'test' })];
  userId = users.find(({ capabilities }) => capabilities.length === 0)?.id ?? '';
  const answer = await service.call('POST', '/admin/v1/auth-users', lines(users));
  assert.equal(answer.status, 200);
});
after(async () => {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('the requests of the page answer what it says', async () => {
  const token = await service.token();
  const filled = (text: string) => text.replaceAll('$TOKEN', token).replaceAll('$USER_ID', userId);
  const examples = curlExamplesOf(page.replaceAll('$SAIL_BASE_URL', '$URL'));
  assert.equal(examples.length, 5);
  for (const { method, path, headers, body, claims } of examples) {
    const answer = await fetch(service.url + filled(path), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        filled(value),
      ]),
      ...(body === undefined ? {} : { body }),
    });
    await documented(method, filled(path), answer);
    const text = await answer.text();
    assert.equal(answer.status, path.includes('capabilites') ? 400 : 200, text);
    for (const claim of claims) {
      const [, total] = /^(\d+) in all$/.exec(claim) ?? [];
      if (total === undefined) assert.ok(text.includes(claim), `${claim} is not in ${text}`);
      else if (!path.includes('/history')) {
        assert.equal(answer.headers.get('x-total-count'), total);
      } else assert.ok(Number(answer.headers.get('x-total-count')) >= Number(total));
    }
  }
});

test('the commands of the page run', async () => {
  const commands = [...page.matchAll(/^npx cardea (.*?)(?: +#.*)?$/gm)].map(
    ([, text = '']) => text,
  );
  assert.equal(commands.length, 5);
  for (const command of commands) {
    const words = command.match(/'[^']*'|\S+/g) ?? [];
    const args = words.map((word) => word.replaceAll("'", '').replace(/^\.\//, `${directory}/`));
    const line = commandLine([...args, '--data-dir', service.dataDir]);
    assert.equal(await line.ended, 0, line.err() + line.out());
    assert.notEqual(line.out(), '', command);
  }
});

test('the filters of the page can be read, and its fields are all there are', () => {
  const filters = [...page.matchAll(/^\| who .*\? \| `(.*)` \|$/gm)].map(([, text]) => text);
  assert.equal(filters.length, 4);
  for (const filter of filters) assert.ok(readCollectionFilter(filter, AUTH_USER_FIELDS));
  for (const name of Object.keys(AUTH_USER_FIELDS)) assert.ok(page.includes(`\`${name}\``), name);
});

/** The lists of the page: levels, scopes and whether API clients are admitted, by path. */
function pageLists(): Map<string, readonly [levels: string, scopes: string, clients: string]> {
  const rows = new Map<string, readonly [string, string, string]>();
  let last = '';
  for (const [, paths = '', levels = '', scopes = '', clients = ''] of page.matchAll(
    /^\| (`\/.*?) \| (.*?) \| (.*?) \| (yes|no) \|$/gm,
  )) {
    last = scopes === 'the same' ? last : scopes;
    for (const path of paths.replaceAll('`', '').split(', ')) {
      rows.set(path, [levels.split(';')[0] ?? '', last.replaceAll('`', ''), clients]);
    }
  }
  return rows;
}

test('the page has every list with its levels and scopes', () => {
  const [, searchers = ''] =
    /^Those that may search are ([^.]*)\./m.exec(
      page.replaceAll('\n', ' ').replace(/.*(?=Those)/, ''),
    ) ?? [];
  const signals = { run: async () => {} };
  const endpoints = listEndpoints({} as never, { signals } as never);
  const served = new Map(
    endpoints.flatMap(({ path, operation }): [string, Operation][] => {
      const [, area, rest] = /^(\/[^/]+)\/v1(.*)$/.exec(path) ?? [];
      return area === undefined
        ? []
        : [[area + rest?.replace(':id', '{id}'), operation as Operation]];
    }),
  );
  const expected = [...served].map(([path, operation]) => {
    const { levels, scopes, appTokens } = ACCESS[operation];
    const named =
      levels === 'any'
        ? 'any user'
        : levels === ACCESS.search.levels
          ? 'those that may search'
          : levels.join(', ');
    return [path, [named, scopes === 'any' ? 'any' : scopes.join(', '), appTokens ? 'yes' : 'no']];
  });
  assert.deepEqual([...pageLists()].sort(), expected.sort());
  assert.equal(
    searchers.replace(' and ', ', '),
    [...(ACCESS.search.levels as string[])].join(', '),
  );
});
