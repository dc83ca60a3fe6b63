// Every example of the pages on search is put to a served demo company; what the page claims of the answer must be
// so, and an example that claims nothing must find something. UPDATE_GOLDEN=1 writes the counts anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type Example, examplesOf } from './examples.ts';

const PAGES = [...['search', 'requests', 'aggregations', 'explain', 'role-paths', 'api']].map(
  (page) => `docs/${page}.md`,
);
/** What docs/search.md tells its readers to start. */
const COMPANY = { seed: 1, identities: 400, now: Date.parse('2025-06-30T00:00:00Z') };

let service: RunningService;

before(async () => {
  service = await startService();
  await service.addDocuments([...demoDocuments(COMPANY)]);
});
after(() => service.stop());

for (const page of PAGES) {
  const text = readFileSync(page, 'utf8');
  describe(page, () => {
    for (const example of examplesOf(text)) {
      const { line, method, path, body } = example;
      const query = body?.['query'] as { query?: string } | undefined;
      test(`line ${line}: ${query?.query ?? `${method} ${path}`} does what it claims`, () =>
        check(example, page));
    }
  });
}

test('the request that the README shows finds somebody', async () => {
  const [, sent = ''] = /-d '(\{"indices".*\})'/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const answer = await service.call('POST', '/v2024/search?limit=3&count=true', sent);
  assert.equal(answer.status, 200);
  assert.notEqual(answer.headers.get('x-total-count'), '0');
});

test('each page has examples', () => {
  for (const page of PAGES) assert.ok(examplesOf(readFileSync(page, 'utf8')).length > 1, page);
});

async function check({ line, method, path, body, claim }: Example, page: string): Promise<void> {
  const answer = await service.call(method, path, body ?? undefined);
  const text = await answer.text();
  const status = path.includes('/search/count') ? 204 : 200;
  assert.equal(answer.status, claim.status === 200 ? status : claim.status, text);
  if (claim.status === 400) {
    const { causes } = JSON.parse(text) as { causes: { text: string }[] };
    const [cause] = causes;
    assert.ok(cause, text);
    if (claim.offset !== null)
      assert.match(cause.text, new RegExp(`offset ${claim.offset}\\b`, 'i'));
    inOrder(text, claim.texts);
    return;
  }
  const header = answer.headers.get('x-total-count');
  const rows = text.startsWith('[') ? (JSON.parse(text) as unknown[]) : null;
  const total = Number(header ?? rows?.length ?? matchedOf(text) ?? 1);
  if (process.env['UPDATE_GOLDEN'] === '1') return update(page, line, total);
  if (claim.total === null) assert.ok(total > 0, 'it finds nothing');
  else assert.equal(total, claim.total);
  if (claim.rows !== null) assert.equal(rows?.length, claim.rows);
  inOrder(text, claim.texts);
}

/** What an explanation says of how many match. */
function matchedOf(text: string): number | undefined {
  return text.startsWith('{') ? (JSON.parse(text) as { matched?: number }).matched : undefined;
}

function inOrder(text: string, parts: readonly string[]): void {
  let at = 0;
  for (const part of parts) {
    const position = text.indexOf(part, at);
    assert.ok(position >= 0, `${part} is not in its place in ${text.slice(0, 2000)}`);
    at = position + part.length;
  }
}

/** Puts the count found in place of the one a query line claims. */
function update(page: string, line: number, total: number): void {
  const lines = readFileSync(page, 'utf8').split('\n');
  lines[line - 1] = (lines[line - 1] ?? '').replace(/( {2,}# )(\d+|\?)/, `$1${total}`);
  writeFileSync(page, lines.join('\n'));
}
