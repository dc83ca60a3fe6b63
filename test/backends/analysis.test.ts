// Our words against those of a real OpenSearch: the same texts, cut by both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { words } from '../../src/analysis/words.ts';
import { Random } from '../differential/random.ts';
import { type OpenSearch, startOpenSearch } from '../support/opensearch.ts';

const TEXTS = 3000;
/** Its analyze queue holds 16. */
const BATCH = 10;
let openSearch: OpenSearch;

before(async () => {
  openSearch = await startOpenSearch();
});
after(() => openSearch.stop());

test(`${TEXTS} random texts of mixed scripts are cut into the same words`, async () => {
  const seed = Number(process.env['CARDEA_SEED'] ?? Date.now() % 1_000_000);
  const random = new Random(seed);
  for (let done = 0; done < TEXTS; done += BATCH) {
    const texts = Array.from({ length: BATCH }, () => randomText(random));
    await Promise.all(
      texts.map(async (text) => {
        const ours = words(text).map((word) => word.term);
        assert.deepEqual(ours, await theirs(text), `seed ${seed}, text ${codePoints(text)}`);
      }),
    );
  }
});

test('real values are cut into the same words', async () => {
  const values = [
    'john.doe@acme.com',
    'CN=Sales,OU=EU,DC=acme,DC=test',
    'ROLE_CREATE_PASSED',
    "O'Brien-Smith, Zoë",
    '2024-05-01T10:00:00Z',
    '人事部 東京オフィス',
    'İstanbul ΣΊΣΥΦΟΣ',
    `${'x'.repeat(300)} y`,
  ];
  for (const value of values) {
    assert.deepEqual(
      words(value).map((word) => word.term),
      await theirs(value),
      value,
    );
  }
});

async function theirs(text: string): Promise<string[]> {
  const answer = await fetch(`${openSearch.url}/_analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ analyzer: 'standard', text }),
  });
  const body = await answer.text();
  assert.equal(answer.status, 200, `${codePoints(text)}: ${body}`);
  const { tokens } = JSON.parse(body) as { tokens: { token: string }[] };
  return tokens.map(({ token }) => token);
}

/** First code point and count of the pools that texts are mixed from. */
const POOLS: readonly (readonly [first: number, count: number])[] = [
  [0x20, 0x5f],
  [0x30, 10],
  [0x61, 26],
  [0x41, 26],
  [0x2e, 1],
  [0x27, 1],
  [0x22, 1],
  [0x3a, 1],
  [0x2c, 1],
  [0x5f, 1],
  [0xa0, 0x300],
  [0x300, 0x70],
  [0x370, 0x400],
  [0x5d0, 30],
  [0x600, 0x200],
  [0xe00, 0x60],
  [0x200d, 1],
  [0x20e3, 1],
  [0x2600, 0x200],
  [0x3040, 0xc0],
  [0x4e00, 50],
  [0xac00, 50],
  [0xfe0f, 1],
  [0x1f1e6, 26],
  [0x1f3fb, 5],
  [0x1f600, 0x50],
  [0x100, 0xd600],
  [0x10000, 0xfffff],
];

function randomText(random: Random): string {
  const favourites = Array.from({ length: 3 }, () => random.int(POOLS.length));
  return Array.from({ length: 1 + random.int(14) }, () => {
    const pool = random.chance(0.75) ? random.pick(favourites) : random.int(POOLS.length);
    const [first, count] = POOLS[pool ?? 0] ?? [0x61, 1];
    return String.fromCodePoint(first + random.int(count));
  }).join('');
}

function codePoints(text: string): string {
  return [...text].map((char) => char.codePointAt(0)?.toString(16)).join(' ');
}
