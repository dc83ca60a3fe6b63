// From the embedded engine to OpenSearch and back with cardea reindex: the same requests have the same answers all the
// way, and one that is killed half-way goes on from what was committed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { tokenOf } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { documented } from '../support/documented.ts';
import { type OpenSearch, startOpenSearch } from '../support/opensearch.ts';
import { CARDEA } from '../support/program.ts';
import { ownExamples } from '../support/request-examples.ts';

/** Takes OpenSearch longer than the indexer waits between two commits. */
const IDENTITIES = 8_000;
const DEADLINE_MS = 240_000;

const directory = mkdtempSync(join(tmpdir(), 'cardea-move-'));
const dataDir = join(directory, 'data');
let openSearch: OpenSearch;
let credentials: { readonly clientId: string; readonly clientSecret: string };

async function json(args: readonly string[]) {
  const line = commandLine([...args, '--data-dir', dataDir, '--json']);
  const code = await line.ended;
  assert.equal(code, 0, line.err());
  return JSON.parse(line.out());
}

const toOpenSearch = () => ['--search-url', openSearch.url];

before(async () => {
  openSearch = await startOpenSearch();
  credentials = await json(['tenant', 'create', 'acme']);
  const file = join(directory, 'all.ndjson');
  const company = demoDocuments({ seed: 5, identities: IDENTITIES, now: Date.UTC(2025, 5, 1) });
  const lines = [...ownExamples().documents, ...company].map((one) => JSON.stringify(one));
  writeFileSync(file, lines.join('\n'));
  assert.equal((await json(['import', file])).failed, 0);
});
after(async () => {
  await openSearch.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ASKED: readonly (readonly [path: string, body: object])[] = [
  // Not the events of the sign-ins that ask this.
  ...[
    'created:<2026-01-01',
    'attributes.department:sales',
    'accessCount:>20',
    '@access(type:ROLE AND name:a*)',
  ].map((query) => ['search?count=true', { query: { query }, sort: ['-id'] }] as const),
  ...ownExamples()
    .requests.filter(({ path }) => path !== 'aggregate')
    .map(({ path, body }) => {
      const sorted = body['queryType'] === 'TYPEAHEAD' ? body : { sort: ['id'], ...body };
      return [path === 'count' ? 'search/count' : 'search?count=true', sorted] as const;
    }),
  [
    'search/aggregate?limit=0',
    {
      indices: ['identities'],
      aggregationType: 'SAILPOINT',
      aggregations: { bucket: { name: 'D', type: 'TERMS', field: 'attributes.department' } },
    },
  ],
];

/** What a server over the data directory answers, as text. */
async function answers(settings: Readonly<Record<string, string>>): Promise<string[]> {
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0', ...settings });
  const service = await compose(config, { log: pino({ level: 'silent' }) });
  try {
    const { url } = await service.start();
    const last = await service.store.read.lastSequence();
    await service.services.status.waitUntilSearchable(last, DEADLINE_MS);
    const token = await tokenOf(url, credentials);
    const messages: string[] = [];
    for (const [path, body] of ASKED) {
      const answer = await fetch(`${url}/v2024/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await documented('POST', `/v2024/${path}`, answer);
      assert.ok(answer.ok, `${JSON.stringify(body)}: ${await answer.clone().text()}`);
      messages.push(`${answer.headers.get('x-total-count')} ${await answer.text()}`);
    }
    return messages;
  } finally {
    await service.stop();
  }
}

/** What OpenSearch has committed, by its own account. */
async function committed(): Promise<number> {
  const answer = await fetch(`${openSearch.url}/cardea-state/_search`).catch(() => null);
  if (!answer?.ok) return 0;
  return Number(/"sequence":(\d+)/.exec(await answer.text())?.[1] ?? 0);
}

test('to OpenSearch, killed on the way, and back: the answers stay the same', async () => {
  const embedded = await answers({});
  assert.ok(embedded.every((text) => text.length > 0));

  const child = spawn(
    process.execPath,
    [CARDEA, 'reindex', '--data-dir', dataDir, ...toOpenSearch()],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'close');
  for (const end = Date.now() + DEADLINE_MS; (await committed()) === 0; await pause(20)) {
    assert.ok(Date.now() < end && child.exitCode === null, 'nothing was ever committed');
  }
  child.kill('SIGKILL');
  assert.deepEqual((await ended)[1], 'SIGKILL');

  const report = await json(['reindex', ...toOpenSearch()]);
  assert.ok(report.from > 0 && report.from < report.sequence, JSON.stringify(report));
  assert.deepEqual([report.whole, report.backend], [true, `${openSearch.url}/`]);
  assert.deepEqual(await answers({ CARDEA_SEARCH_URL: openSearch.url }), embedded);

  const back = await json(['reindex']);
  assert.deepEqual([back.whole, back.from, back.backend], [true, 0, 'embedded']);
  assert.deepEqual(await answers({}), embedded);
});

test('a server of the index that cannot be asked yet keeps a reindex out, whichever backend it is for', async () => {
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_SEARCH_URL: openSearch.url });
  const service = await compose(config, { log: pino({ level: 'silent' }) });
  try {
    const line = commandLine(['reindex', '--data-dir', dataDir, ...toOpenSearch()]);
    assert.equal(await line.ended, 2);
    assert.match(
      line.err(),
      /Another process feeds the search index of .*: try again when it has ended or serves/,
    );
  } finally {
    await service.stop();
  }
});
