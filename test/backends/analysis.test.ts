// suite: shared A
// Our words against those of a real OpenSearch: the same texts, cut by both.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SETTINGS } from '../../src/backends/opensearch/requests/index-template.ts';
import { isFoldedAlike } from '../../src/backends/opensearch/requests/plain-values.ts';
import { fold } from '../../src/query/analysis/fold.ts';
import { words } from '../../src/query/analysis/words.ts';
import { Random } from '../differential/random.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';

const TEXTS = 3000;
/** Its analyze queue holds 16. */
const BATCH = 10;
let openSearch: OpenSearch;

before(async () => {
  openSearch = await sharedOpenSearch();
});

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

test('texts that OpenSearch reads by itself are folded into the same values', async () => {
  const analysis = { normalizer: SETTINGS.analysis.normalizer };
  const [normalizer] = Object.keys(analysis.normalizer);
  const url = `${openSearch.url}/folded`;
  await send('PUT', url, { settings: { analysis } });
  const texts = foldedAlike();
  assert.ok(texts.join('').length > 100_000);
  for (let from = 0; from < texts.length; from += TEXTS) {
    const text = texts.slice(from, from + TEXTS);
    const { tokens } = await send('POST', `${url}/_analyze`, { normalizer, text });
    assert.deepEqual(
      tokens?.map(({ token }) => token),
      text.map(fold),
    );
  }
});

/** All characters that are folded alike, 64 in a text. */
function foldedAlike(): string[] {
  const texts: string[] = [];
  for (let first = 1; first <= 0x10ffff; first += 64) {
    const codes = Array.from({ length: 64 }, (_, at) => first + at);
    const text = codes
      .filter((code) => code <= 0x10ffff && (code < 0xd800 || code > 0xdfff))
      .map((code) => String.fromCodePoint(code))
      .filter(isFoldedAlike)
      .join('');
    if (text !== '') texts.push(text);
  }
  return texts;
}

interface Analysis {
  readonly tokens?: readonly { readonly token: string }[];
}

async function send(method: string, url: string, body: object): Promise<Analysis> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Analysis;
}

async function theirs(text: string): Promise<string[]> {
  const body = { analyzer: 'standard', text };
  const { tokens = [] } = await send('POST', `${openSearch.url}/_analyze`, body);
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
