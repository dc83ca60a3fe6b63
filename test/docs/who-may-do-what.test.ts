// The tables of docs/who-may-do-what.md are those of the code; UPDATE_GOLDEN=1 writes that of rights anew.
// shell-pages.test.ts runs its commands.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { ACCESS, type Operation, type Rule } from '../../src/auth/access.ts';
import { listEndpoints } from '../../src/http/routes/lists.ts';
import { readCollectionFilter } from '../../src/query/collections/collection-filter.ts';
import { AUTH_USER_FIELDS } from '../../src/service/ports/auth-user-list.ts';

const PAGE = 'docs/who-may-do-what.md';
const page = readFileSync(PAGE, 'utf8');
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

/** A scope that changes something is left out beside the one that reads the same. */
function scopesOf({ scopes }: Rule): string {
  if (scopes === 'any') return 'any';
  const isShown = (scope: string) =>
    !scope.endsWith(':manage') || !scopes.includes(scope.replace(/manage$/, 'read'));
  return scopes.filter(isShown).join(', ');
}

test('whoever may manage something may read it, as the page says', () => {
  for (const { scopes } of Object.values(ACCESS)) {
    if (scopes === 'any') continue;
    const alone = scopes
      .filter((scope) => scope.endsWith(':read'))
      .map((scope) => scope.replace(/read$/, 'manage'))
      .filter((scope) => !scopes.includes(scope));
    for (const scope of alone) assert.ok(READ_ONLY.includes(scope), scope);
  }
});

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
    const rule = ACCESS[operation];
    return [path, [levelsOf(rule), scopesOf(rule), rule.appTokens ? 'yes' : 'no']];
  });
  assert.deepEqual([...pageLists()].sort(), expected.sort());
  assert.equal(
    searchers.replace(' and ', ', '),
    [...(ACCESS.search.levels as string[])].join(', '),
  );
});

/** What the public specification has no scope to manage for. */
const READ_ONLY = ['sp:search:manage', 'sp:access-profile:manage'];

const HEAD = '| To | Levels | Scopes | API clients | Through a view |\n|---|---|---|---|---|\n';
/** Operations that the table of lists has. */
const OF_LISTS =
  /^(account|identity|public-identity|role|access-profile|entitlement|source|account-activity):/;

function levelsOf({ levels }: Rule): string {
  if (levels === 'any') return 'any user';
  return levels === ACCESS.search.levels ? 'those that may search' : levels.join(', ');
}

test('the page has every other operation with its levels and scopes', () => {
  /** What an operation needs, as cells, and all operations that need the same. */
  const summaries = new Map<string, string[]>();
  for (const [operation, rule] of Object.entries(ACCESS)) {
    if (OF_LISTS.test(operation)) continue;
    const scopes = scopesOf(rule).replaceAll(/[a-z:-]*:[a-z:-]+/g, '`$&`');
    const clients = rule.appTokens ? 'yes' : 'no';
    const needs = [levelsOf(rule), scopes, clients, rule.throughViews].join(' | ');
    summaries.set(needs, [...(summaries.get(needs) ?? []), rule.summary]);
  }
  const rows = [...summaries].map(([needs, all]) => `| ${all.join('; ')} | ${needs} |\n`).join('');
  const at = page.indexOf(HEAD) + HEAD.length;
  const [old = ''] = /^(?:\|.*\n)*/.exec(page.slice(at)) ?? [];
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PAGE, page.replace(old, rows));
  else assert.equal(old, rows);
});
