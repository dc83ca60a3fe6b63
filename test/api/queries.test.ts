// Queries that are wrong or too large, over real HTTP: what is refused says where and why, the rest is answered. What is
// made to run away is in runaway.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
const PEOPLE = 6_000;

before(async () => {
  service = await startService();
  await service.addDocuments([
    ...Array.from({ length: PEOPLE }, (_, n) => ({
      _type: 'identity',
      id: `p${n}`,
      name: `person.${n}`,
      description: `${'a'.repeat(1 + (n % 40))}b${n.toString(36)}`,
      attributes: {
        motto: `${'ab'.repeat(n % 30)}c ${n * 7919}`,
        hired: `2024-0${1 + (n % 9)}-11`,
      },
    })),
    ...PAIRS,
    ...Object.entries(ENDS).map(([id, ends]) => {
      return { _type: 'identity', id, name: id, attributes: { ends } };
    }),
  ]);
});
after(() => service.stop());

const ENDS = {
  y2023: '2023-12-31T23:59:59Z',
  y2024: '2024-01-01',
  y2027: '2027-06-30',
  yWord: '0815',
  yWords: '4711',
};

/** {A,1} and {B,2}: nobody has A with 2. */
const PAIRS = [
  {
    _type: 'identity',
    id: 'crossed',
    name: 'crossed',
    displayName: '<tag>',
    accounts: [
      { id: 'a1', source: { name: 'A' }, disabled: false, accountAttributes: { level: 1 } },
      { id: 'b2', source: { name: 'B' }, disabled: true, accountAttributes: { level: 2 } },
    ],
  },
  {
    _type: 'identity',
    id: 'straight',
    name: 'straight',
    displayName: 'sag',
    accounts: [
      { id: 'a2', source: { name: 'A' }, disabled: true, accountAttributes: { level: 2 } },
    ],
  },
];

/** How many identities the service holds. */
const HELD = PEOPLE + PAIRS.length + Object.keys(ENDS).length;

function search(query: string, path = '/v2024/search', more: object = {}): Promise<Response> {
  return service.call('POST', path, { indices: ['identities'], query: { query }, ...more });
}

async function ids(query: string, more: object = {}): Promise<string[]> {
  const answer = await search(query, '/v2024/search', { sort: ['id'], ...more });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
}

/** The sentence of a refusal. */
async function refusal(answer: Response): Promise<string> {
  const text = await answer.text();
  assert.equal(answer.status, 400, text);
  const { detailCode, causes } = JSON.parse(text) as {
    detailCode: string;
    causes: { text: string }[];
  };
  assert.equal(detailCode, '400.1 Bad Request Content');
  return causes[0]?.text ?? '';
}

const MALFORMED: readonly (readonly [query: string, offset: number, expected: RegExp])[] = [
  ['a AND (', 7, /expected a word/],
  ['name:', 5, /expected a value/],
  ['"', 0, /not closed/],
  ['a "b', 2, /not closed/],
  ['name:[a TO', 10, /upper bound/],
  [':x', 0, /expected a word/],
  ['\\', 0, /expected a character/],
  ['name:(a b', 9, /expected \)/],
];
for (const [query, offset, expected] of MALFORMED) {
  test(`${query} is refused at ${offset}`, async () => {
    for (const path of ['/v2024/search', '/v2024/search/count']) {
      const cause = await refusal(await search(query, path));
      assert.match(cause, new RegExp(`offset ${offset}\\b`));
      assert.match(cause, expected);
    }
  });
}

const YEARS: readonly (readonly [query: string, expected: readonly string[]])[] = [
  ['[* TO 2024]', ['y2023', 'y2024', 'yWord']],
  ['>=2024', ['y2024', 'y2027', 'yWords']],
  ['>2024', ['y2027', 'yWords']],
  ['[2024 TO 2027]', ['y2024', 'y2027']],
  ['[2023 TO 2024-06]', ['y2023', 'y2024']],
];
for (const [range, expected] of YEARS) {
  test(`ends:${range} compares dates with years, and other values as words or numbers`, async () => {
    assert.deepEqual(await ids(`id:y* AND attributes.ends:${range}`), expected);
  });
}

test('an escaped < or > belongs to the value; without the backslash it begins a range', async () => {
  assert.deepEqual(await ids('displayName.exact:\\<tag>'), ['crossed']);
  assert.deepEqual(await ids('displayName.exact:(\\<tag\\>)'), ['crossed']);
  assert.deepEqual(await ids('displayName.exact:<tag>'), ['crossed', 'straight']);
  assert.deepEqual(await ids('displayName.exact:\\>a'), []);
  assert.deepEqual(await ids('displayName.exact:>a'), ['straight']);
});

const TOO_LARGE: readonly (readonly [what: string, body: () => object, limit: RegExp])[] = [
  ['1,025 clauses', () => words(1025), /1024 clauses.*CARDEA_MAX_CLAUSES/],
  ['51 levels', () => text(`${'('.repeat(51)}a${')'.repeat(51)}`), /50 levels.*CARDEA_MAX_DEPTH/],
  [
    '65,537 characters',
    () => text('a'.repeat(65_537)),
    /65536 characters.*CARDEA_MAX_QUERY_LENGTH/,
  ],
  ['65,537 terms', () => terms(65_537), /65536 terms.*CARDEA_MAX_TERMS/],
  [
    'a regular expression of 1,001',
    () => text(`/${'a'.repeat(1001)}/`),
    /1000 .*CARDEA_MAX_REGEX_LENGTH/,
  ],
  [
    '1,025 names in includes and excludes',
    () => ({
      ...text('*'),
      queryResultFilter: { includes: names(1_000), excludes: names(25) },
    }),
    /1024 names .*, found 1025; the limit is CARDEA_MAX_CLAUSES/,
  ],
  [
    '33 keys of sort',
    () => ({ ...text('*'), sort: Array(33).fill('name') }),
    /32 keys in sort, found 33; the limit is CARDEA_MAX_SORT_KEYS/,
  ],
];
for (const [what, body, limit] of TOO_LARGE) {
  test(`${what} are refused by the name of the limit`, async () => {
    assert.match(await refusal(await service.call('POST', '/v2024/search', body())), limit);
  });
}

test('as much as the limits allow is answered', async () => {
  const bodies = [
    words(1024),
    text(`${'('.repeat(50)}a${')'.repeat(50)}`),
    text('a'.repeat(65_536)),
    terms(65_536),
    text(`/${'a'.repeat(1000)}/`),
    { ...text('*'), queryResultFilter: { includes: names(1_000), excludes: names(24) } },
    { ...text('*'), sort: Array(32).fill('name') },
  ];
  for (const body of bodies) {
    const answer = await service.call('POST', '/v2024/search', body);
    assert.equal(answer.status, 200, await answer.text());
  }
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `*a${n}*b`);
}
function text(query: string): object {
  return { indices: ['identities'], query: { query } };
}
function words(count: number): object {
  return text(Array.from({ length: count }, (_, n) => `name:w${n}`).join(' '));
}
function terms(count: number): object {
  const values = Array.from({ length: count }, (_, n) => `t${n}`);
  return { ...text('*'), filters: { name: { type: 'TERMS', terms: values } } };
}

const PAGES: readonly (readonly [query: string, more: object, expected: number | RegExp])[] = [
  ['limit=-1', {}, /^limit: /],
  ['limit=0', {}, 0],
  ['limit=10000', {}, HELD],
  ['limit=10001', {}, /10000 rows/],
  ['limit=abc', {}, /^limit: /],
  ['limit=', {}, /^limit: /],
  ['limit=2147483648', {}, /^limit: /],
  ['offset=-1', {}, /^offset: /],
  ['offset=9750', {}, 0],
  ['offset=9751', {}, /offset \+ limit/],
  ['offset=9999&limit=1', {}, 0],
  ['offset=9999&limit=2', {}, /offset \+ limit/],
  [`offset=${HELD}`, {}, 0],
  [`offset=${HELD - 1}`, {}, 1],
  ['count=maybe', {}, /^count: /],
  ['offset=1', { sort: ['id'], searchAfter: ['p1'] }, /^offset: must be 0 with searchAfter/],
  ['limit=3', { sort: ['id'], searchAfter: ['p1'] }, 3],
  ['', { searchAfter: ['p1'] }, /^searchAfter: needs a sort/],
  ['', { sort: ['id', 'name'], searchAfter: ['p1'] }, /^searchAfter: 1 values for 2 sort keys/],
  ['', { sort: ['id'], searchAfter: ['p1', 'x'] }, /^searchAfter: 2 values for 1 sort keys/],
  ['', { sort: ['created'], searchAfter: ['soon'] }, /^searchAfter\[0\]: .* expected a date/],
  ['', { sort: ['accessCount'], searchAfter: ['many'] }, /^searchAfter\[0\]: .* a number/],
  ['', { sort: ['inactive'], searchAfter: ['perhaps'] }, /^searchAfter\[0\]: .* true or false/],
  ['', { sort: ['id'], searchAfter: [null] }, /^searchAfter: all values are null/],
  ['', { sort: ['nosuchfield'] }, /^sort\[0\]/],
  ['', { sort: ['manager'] }, /^sort\[0\]/],
];
for (const [parameters, more, expected] of PAGES) {
  const name = `?${parameters} ${JSON.stringify(more)}`;
  test(`${name} ${typeof expected === 'number' ? `has ${expected} rows` : 'is refused'}`, async () => {
    const answer = await search('*', `/v2024/search?${parameters}`, more);
    if (typeof expected === 'number') {
      assert.equal(answer.status, 200);
      assert.equal(((await answer.json()) as unknown[]).length, expected);
    } else assert.match(await refusal(answer), expected);
  });
}

test('X-Total-Count is sent if it is requested, and always by a count', async () => {
  const totalOf = async (path: string, more: object = {}) =>
    (await search('id:crossed', path, more)).headers.get('x-total-count');
  assert.equal(await totalOf('/v2024/search'), null);
  assert.equal(await totalOf('/v2024/search?count=false'), null);
  for (const page of ['limit=0', 'offset=1']) {
    assert.equal(await totalOf(`/v2024/search?count=true&${page}`), '1');
  }
  const after = { sort: ['id'], searchAfter: ['zzz'] };
  assert.equal(await totalOf('/v2024/search?count=true', after), '1');
  // A count has no parameters.
  for (const parameters of ['', '?count=false', '?limit=-1&offset=x&count=maybe']) {
    assert.equal(await totalOf(`/v2024/search/count${parameters}`), '1');
  }
});

const CORRELATED: readonly (readonly [query: string, ids: readonly string[]])[] = [
  ['@accounts(source.name:A AND accountAttributes.level:2)', ['straight']],
  ['@accounts(source.name:A AND disabled:true)', ['straight']],
  ['@accounts(source.name:B AND accountAttributes.level:1)', []],
  ['accounts.source.name:A AND accounts.accountAttributes.level:2', ['crossed', 'straight']],
  ['_exists_:accounts AND NOT @accounts(source.name:A AND disabled:true)', ['crossed']],
  ['_exists_:accounts AND NOT (accounts.source.name:A AND accounts.disabled:true)', []],
  ['@accounts(NOT source.name:A)', ['crossed']],
  ['_exists_:accounts AND NOT @accounts(source.name:B)', ['straight']],
  ['@accounts(source.name:A AND NOT disabled:true)', ['crossed']],
  ['@accounts(source.name:A) AND @accounts(accountAttributes.level:2)', ['crossed', 'straight']],
  [
    '@accounts(+source.name:(A B) +accountAttributes.level:[2 TO *] -disabled:false)',
    ['crossed', 'straight'],
  ],
];
for (const [query, expected] of CORRELATED) {
  test(`${query} looks at one account at a time`, async () => {
    assert.deepEqual(await ids(query), expected);
  });
}

test('what was deleted and written anew is correlated as it is now', async () => {
  const [crossed] = PAIRS;
  const [first, second] = crossed?.accounts ?? [];
  await service.addDocuments([{ ...crossed, accounts: [{ ...first, disabled: true }, second] }]);
  assert.deepEqual(await ids('@accounts(source.name:A AND disabled:true)'), [
    'crossed',
    'straight',
  ]);
  await service.addDocuments([{ ...crossed }]);
  assert.deepEqual(await ids('@accounts(source.name:A AND disabled:true)'), ['straight']);
});

/** Instants around changes of clocks and in leap years. */
const EVENTS = [
  '2024-02-28T23:59:59.999Z',
  '2024-02-29T00:00:00.000Z',
  '2024-02-29T23:59:59.999Z',
  '2024-03-01T00:00:00.000Z',
  '2024-03-30T22:59:59.999Z',
  '2024-03-30T23:00:00.000Z', // 31 March begins in Berlin
  '2024-03-31T00:59:59.999Z', // 01:59:59.999, then comes 03:00
  '2024-03-31T01:00:00.000Z', // 03:00
  '2024-03-31T21:59:59.999Z', // the day of 23 hours ends
  '2024-03-31T22:00:00.000Z',
  '2024-10-26T22:00:00.000Z', // 27 October begins
  '2024-10-27T00:30:00.000Z', // 02:30 for the first time
  '2024-10-27T01:30:00.000Z', // 02:30 for the second time
  '2024-10-27T22:59:59.999Z', // the day of 25 hours ends
  '2024-10-27T23:00:00.000Z',
].map((created, n) => ({
  _type: 'event',
  id: `e${String(n).padStart(2, '0')}`,
  name: 'x',
  created,
}));

const DATES: readonly (readonly [query: string, zone: string, events: readonly number[]])[] = [
  ['created:2024-02-29', 'UTC', [1, 2]],
  ['created:2024-02', 'UTC', [0, 1, 2]],
  ['created:[2024-02-29 TO 2024-02-29]', 'UTC', [1, 2]],
  ['created:{2024-02-29 TO 2024-03}', 'UTC', []],
  ['created:[2025-02-28||-1y TO 2024-02-29}', 'UTC', [0]],
  ['created:[2024-01-31||+1M/d TO 2024-03-01}', 'UTC', [1, 2]],
  ['created:2024-03-31', 'Europe/Berlin', [5, 6, 7, 8]],
  ['created:[2024-03-31||/d TO 2024-03-31||/d]', 'Europe/Berlin', [5, 6, 7, 8]],
  ['created:[2024-03-31T02 TO 2024-03-31T04}', 'Europe/Berlin', [7]],
  ['created:[2024-03-31T01:30 TO 2024-03-31T02:30]', 'Europe/Berlin', [6, 7]],
  ['created:[2024-03-30||+1d TO 2024-03-31||+1d}', 'Europe/Berlin', [5, 6, 7, 8]],
  ['created:2024-10-27', 'Europe/Berlin', [10, 11, 12, 13]],
  ['created:"2024-10-27T02:30"', 'Europe/Berlin', [11]],
  ['created:[2024-10-27||+24h TO 2024-10-28}', 'Europe/Berlin', [13]],
  ['created:2024-10-27', '+02:00', [10, 11, 12]],
];

test('dates over changes of clocks, leap days and units are those of the calendar', async () => {
  await service.addDocuments(EVENTS);
  for (const [query, timeZone, expected] of DATES) {
    const answer = await service.call('POST', '/v2024/search', {
      indices: ['events'],
      query: { query: `name:x AND ${query}`, timeZone },
      sort: ['id'],
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${query}: ${text}`);
    const numbers = (JSON.parse(text) as { id: string }[]).map(({ id }) => Number(id.slice(1)));
    assert.deepEqual(numbers, expected, `${query} in ${timeZone}`);
  }
});

for (const timeZone of ['Mars/Olympus', '+25:00', 'Europe', '../etc', 'GMT+']) {
  test(`the time zone ${timeZone} is refused`, async () => {
    const query = { query: 'created:2024-10-27', timeZone };
    assert.match(
      await refusal(await service.call('POST', '/v2024/search', { query })),
      /time zone/,
    );
  });
}

for (const date of [
  '2023-02-29',
  '2024-13-01',
  '2024-02-30T00:00',
  'now-1x',
  'now/dd',
  '2024-01-01||',
]) {
  test(`created:"${date}" is ${date.endsWith('||') ? 'a date' : 'no date'}`, async () => {
    const answer = await search(`created:"${date}"`);
    if (date.endsWith('||')) assert.equal(answer.status, 200);
    else assert.match(await refusal(answer), /expected a date/);
  });
}

test('after all of this the service answers, and holds what it held', async () => {
  const answer = await search('*', '/v2024/search?limit=0&count=true');
  assert.equal(answer.headers.get('x-total-count'), String(HELD));
  assert.equal((await fetch(`${service.url}/ready`)).status, 200);
});
