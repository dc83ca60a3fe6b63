// What the pages say in tables is what the code has: fields by index and type, nested paths, bounds, tests that are
// named as proof.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { READ_ONLY_SEGMENTS, SERVED_SEGMENTS } from '../../src/http/requests/public-areas.ts';
import { INDEX_NAMES, staticMapping } from '../../src/query/mapping/document-types.ts';
import { DEFAULT_LIMITS } from '../../src/query/requests/search-request.ts';

const TYPES: Readonly<Record<string, string>> = {
  text: 'text',
  keyword: 'keyword',
  date: 'date',
  integer: 'long',
  boolean: 'boolean',
  dynamic: 'dynamic',
};

const search = readFileSync('docs/search.md', 'utf8');
const TENANT = { name: 'demo', pod: 'local' };

for (const index of INDEX_NAMES) {
  test(`docs/search.md lists the fields of ${index}`, () => {
    const section = search.split(`\n### ${index}\n`)[1]?.split('\n### ')[0] ?? '';
    const documented = rowsOf(section).flatMap(([type = '', names = '']) =>
      codeIn(names).map((name) => `${TYPES[type]} ${name.replace(/\.…$/, '')}`),
    );
    const { fields, dynamicRoots } = staticMapping(index, TENANT);
    const known = [...fields.values()].map(({ type, path }) => `${type} ${path}`);
    const dynamic = dynamicRoots.map((path) => `dynamic ${path}`);
    assert.deepEqual(documented.sort(), [...known, ...dynamic].sort());
  });

  test(`docs/search.md lists the nested paths of ${index}`, () => {
    const row = rowsOf(search).find(([name]) => name === `\`${index}\``);
    assert.deepEqual(
      codeIn(row?.[1] ?? '').sort(),
      [...staticMapping(index, TENANT).nestedPaths].sort(),
    );
  });
}

test('docs/differences.md lists the areas of which a part is served', () => {
  const [row = ''] =
    /^\| areas of the public API, but .*$/m.exec(readFileSync('docs/differences.md', 'utf8')) ?? [];
  const areas = codeIn(row.split(' | ')[0] ?? '');
  assert.deepEqual(areas, [...SERVED_SEGMENTS, ...READ_ONLY_SEGMENTS]);
});

test('docs/search.md tells the bounds as they are', () => {
  const bounds = new Map(
    rowsOf(search).flatMap(([, bound = '', setting = '']) =>
      codeIn(setting).map((name): [string, string] => [name, bound]),
    ),
  );
  for (const [name, bound] of Object.entries(DEFAULT_LIMITS)) {
    const setting = `CARDEA_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
    assert.match(
      bounds.get(setting) ?? '',
      new RegExp(`^${bound.toLocaleString('en-US')}\\b`),
      setting,
    );
  }
});

test('each test that docs/reliability.md names as proof is there', () => {
  const page = readFileSync('docs/reliability.md', 'utf8');
  const lines = rowsOf(page.split('## What it withstands')[1] ?? '');
  const numbers = lines.map(([number]) => Number(number)).filter((number) => number > 0);
  assert.ok(numbers.length > 50);
  assert.deepEqual(
    numbers,
    numbers.map((_, n) => n + 1),
  );
  for (const [number, , proof = ''] of lines) {
    let path = '';
    for (const [, file, name] of proof.matchAll(/`((?:src|test|console)\/[^`]+\.ts)`|"([^"]+)"/g)) {
      if (file !== undefined) {
        path = file;
        assert.ok(existsSync(path), `line ${number}: ${path}`);
        continue;
      }
      const source = readFileSync(path, 'utf8').replaceAll("\\'", "'");
      assert.ok(source.includes(name ?? ''), `line ${number}: ${path} has no test "${name}"`);
    }
  }
});

test('CONTRIBUTING.md defends each runtime dependency, and no other', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const section = readFileSync('CONTRIBUTING.md', 'utf8').split('## Runtime dependencies')[1] ?? '';
  const defended = rowsOf(section).flatMap(([names = '']) => codeIn(names));
  assert.deepEqual(defended.sort(), Object.keys(dependencies).sort());
});

test('each page that another one leads to is there', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
  ];
  for (const folder of ['docs', 'bench/results']) {
    for (const name of readdirSync(folder))
      if (name.endsWith('.md')) pages.push(`${folder}/${name}`);
  }
  for (const page of pages) {
    for (const [, target = ''] of readFileSync(page, 'utf8').matchAll(/\]\(([^)]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      if (/^https?:/.test(target)) continue;
      const file = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(file), `${page} leads to ${target}`);
      if (anchor === undefined) continue;
      const anchors = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .map(anchorOf);
      assert.ok(anchors.includes(anchor), `${page} leads to ${target}`);
    }
  }
});

/** What a heading is linked by. */
function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase();
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

/** The cells of all table rows. */
function rowsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
