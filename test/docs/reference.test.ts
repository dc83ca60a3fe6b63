// What the pages say in tables is what the code has: fields by index and type, nested paths, bounds, tests that are
// named as proof.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Setting } from '../../src/config/settings/setting.ts';
import { SETTINGS } from '../../src/config/settings/settings.ts';
import { READ_ONLY_SEGMENTS, SERVED_SEGMENTS } from '../../src/http/requests/public-areas.ts';
import { INDEX_NAMES, staticMapping } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import { DEFAULT_LIMITS } from '../../src/query/requests/search-request.ts';

const TENANT = { name: 'demo', pod: 'local' };
/** What the page calls the types of the mapping, in its order. */
const TYPES = {
  text: 'text',
  keyword: 'keyword',
  date: 'date',
  long: 'integer',
  boolean: 'boolean',
};

for (const index of INDEX_NAMES) {
  test(`docs/fields.md lists the fields of ${index}`, () => {
    const page = readFileSync('docs/fields.md', 'utf8');
    const [block = ''] =
      new RegExp(`(?<=\n## ${index}\n\n\`{3}text\n).*?(?=\`{3})`, 's').exec(page) ?? [];
    const fields = fieldsText(index);
    if (process.env['UPDATE_GOLDEN'] === '1')
      writeFileSync(
        'docs/fields.md',
        page.replace(`## ${index}\n\n\`\`\`text\n${block}`, `## ${index}\n\n\`\`\`text\n${fields}`),
      );
    else assert.equal(block, fields);
  });
}

/** The members of documents by type, then each object in them with its own. */
function fieldsText(index: IndexName): string {
  const { fields, dynamicRoots, nestedPaths } = staticMapping(index, TENANT);
  const groups = new Map<string, Map<string, string[]>>();
  const add = (path: string, type: string) => {
    const [, object = '', name = path] = /^(\w+)\.(.*)$/.exec(path) ?? [];
    const byType = groups.get(object) ?? new Map<string, string[]>();
    groups.set(object, byType.set(type, [...(byType.get(type) ?? []), name]));
  };
  for (const [type, shown] of Object.entries(TYPES))
    for (const field of fields.values()) if (field.type === type) add(field.path, shown);
  for (const path of dynamicRoots) add(`${path}.…`, 'dynamic');
  const lines = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([object, byType]) => {
      const indent = object === '' ? '' : '  ';
      const types = [...byType].map(([type, names]) =>
        wrapped(`${indent}${type}: ${names.join(' ')}`),
      );
      const name = nestedPaths.includes(object) ? `@${object}` : object;
      return object === '' ? types : [name, ...types];
    });
  return `${lines.join('\n')}\n`;
}

/** A text in lines of at most 120 characters, of which all but the first are indented. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{1,116})(?: |$)/g, '$1\n    ').trimEnd();
}

test('docs/differences.md lists the areas of which a part is served', () => {
  const [row = ''] =
    /^- .*Areas of the public API, but .*$/m.exec(readFileSync('docs/differences.md', 'utf8')) ??
    [];
  const areas = codeIn(row);
  assert.deepEqual(areas, [...SERVED_SEGMENTS, ...READ_ONLY_SEGMENTS]);
});

const limits = readFileSync('docs/limits.md', 'utf8');
/** Each limit of the page that is a setting: its text, by variable. */
const documentedLimits = new Map(
  rowsOf(limits).flatMap(([, limit = '', setting = '']) =>
    codeIn(setting).flatMap((name): [string, string][] =>
      name.startsWith('CARDEA_') ? [[name, limit]] : [],
    ),
  ),
);

test('docs/limits.md has every limit of a query', () => {
  for (const name of Object.keys(DEFAULT_LIMITS)) {
    const variable = `CARDEA_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
    assert.ok(documentedLimits.has(variable), variable);
  }
});

test('docs/limits.md has the defaults of the settings', () => {
  assert.ok(documentedLimits.size > 30);
  const settings = new Map(Object.values(SETTINGS).map((one) => [one.env, one as Setting]));
  for (const [name, limit] of documentedLimits) {
    const setting = settings.get(name);
    assert.ok(setting, name);
    // The rate limit depends on who can reach the server.
    if (name === 'CARDEA_RATE_LIMIT') continue;
    const shown = limitText(setting);
    assert.ok(limit === shown || limit.startsWith(`${shown};`), `${name}: ${limit}, not ${shown}`);
  }
});

/** A default as the page writes it: `1 MiB`, `30 s`, `20 in 60 s`, `10,000`. */
function limitText({ byDefault, value }: Setting): string {
  const text = byDefault ?? '';
  const [, number, unit] = /^(\d+)([KMG]iB)$/.exec(text) ?? [];
  if (unit !== undefined) return `${number} ${unit}`;
  const [, count, seconds] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (seconds !== undefined) return `${count} in ${seconds} s`;
  if (value === 'seconds') return `${text} s`;
  if (value !== 'milliseconds') return Number(text).toLocaleString('en-US');
  return Number(text) === 3_600_000 ? '1 h' : `${Number(text) / 1_000} s`;
}

test('each test that test/RELIABILITY.md names as proof is there', () => {
  const page = readFileSync('test/RELIABILITY.md', 'utf8');
  const lines = rowsOf(page);
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
    'test/RELIABILITY.md',
  ];
  for (const folder of ['docs', 'docs/decisions', 'bench/results']) {
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
      const text = readFileSync(file, 'utf8');
      const anchors = [
        ...text.split('\n').flatMap((line) => (line.startsWith('#') ? anchorOf(line) : [])),
        ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id),
      ];
      assert.ok(anchors.includes(anchor), `${page} leads to ${target}`);
    }
  }
});

test('no cell of a table for users is longer than 180 characters', () => {
  const pages = readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : []));
  const long = [...pages, 'README.md', 'SECURITY.md'].flatMap((page) =>
    rowsOf(readFileSync(page, 'utf8'))
      .flat()
      // The address of a link is not read.
      .filter((cell) => cell.replaceAll(/\]\([^)]*\)/g, ']').length > 180)
      .map((cell) => `${page}: ${cell}`),
  );
  assert.deepEqual(long, []);
});

test('packed pages lead to packed files alone, and name no registry to fetch Cardea from', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  const isPacked = (path: string) =>
    files.some((pattern) =>
      new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`).test(path),
    ) || ['README.md', 'LICENSE'].includes(path);
  const pages = readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : []));
  for (const page of [...pages, 'README.md', 'SECURITY.md', 'CHANGELOG.md']) {
    const text = readFileSync(page, 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const [path = ''] = target.split('#');
      if (/^https?:/.test(target) || path === '') continue;
      assert.ok(isPacked(join(dirname(page), path)), `${page} leads to ${target}`);
    }
    // The README warns of it.
    assert.doesNotMatch(text.replace(/\(Never\s+`npx cardea` elsewhere/, ''), /npx cardea/, page);
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
