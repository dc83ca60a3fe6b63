// Rows over real HTTP: documents and elements as tables, in three forms, of any length, with the right and the path
// versions of a search, and errors that name the place and the way out.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { caseCount } from '../support/case-count.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

const PEOPLE = [
  {
    _type: 'identity',
    id: 'ada',
    name: 'ada.byron',
    displayName: 'Ada Byron',
    created: '2025-01-02T03:04:05Z',
    accountCount: 2,
    manager: { id: 'max', name: 'max', displayName: 'Max, the "Boss"' },
    attributes: { department: 'Sales', phone: '+47 123', 'employee.type': 'staff' },
    accounts: [
      { id: 'a1', name: 'ada', source: { name: 'Payroll' }, disabled: false, privileged: true },
      { id: 'a2', name: '=HYPERLINK("x")', source: { name: 'Directory' }, disabled: true },
    ],
    access: [{ id: 'x1', name: 'Reader', type: 'ROLE' }],
  },
  {
    _type: 'identity',
    id: 'bob',
    name: 'bob.stone',
    displayName: 'Bob Stone',
    accountCount: 1,
    attributes: { department: 'Støtte' },
    accounts: [{ id: 'b1', source: { name: 'Payroll' }, disabled: true, privileged: false }],
  },
  { _type: 'identity', id: 'cleo', name: 'cleo', displayName: '-5', accountCount: -5 },
];

before(async () => {
  service = await startService();
  await service.addDocuments([
    ...PEOPLE,
    { _type: 'role', id: 'ada', name: 'Ada role', entitlements: [{ id: 'e', name: 'Read' }] },
    { _type: 'role', id: 'r2', name: 'Other role' },
  ]);
});
after(() => service.stop());

const identities = (query: string, more: object = {}) => ({
  indices: ['identities'],
  query: { query },
  ...more,
});

async function rows(body: object, parameters = ''): Promise<Record<string, unknown>[]> {
  const answer = await service.call('POST', `/v2024/search/rows?${parameters}`, body);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Record<string, unknown>[];
}

async function csv(body: object): Promise<string> {
  const accept = { accept: 'text/csv' };
  const answer = await service.call('POST', '/v2024/search/rows', body, accept);
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.equal(answer.headers.get('content-type'), 'text/csv;charset=utf-8');
  return answer.text();
}

async function refusal(body: object, parameters = ''): Promise<string> {
  const answer = await service.call('POST', `/v3/search/rows?${parameters}`, body);
  assert.equal(answer.status, 400, await answer.clone().text());
  const { causes } = (await answer.json()) as { causes: { text: string }[] };
  return String(causes[0]?.text);
}

describe('rows of documents', () => {
  test('have the columns that the request names, under its headers, in its order', async () => {
    const columns = ['name', { field: 'attributes.department', header: 'Department' }, 'type'];
    assert.deepEqual(await rows(identities('*', { columns })), [
      { name: 'ada.byron', Department: 'Sales', type: 'identity' },
      { name: 'bob.stone', Department: 'Støtte', type: 'identity' },
      { name: 'cleo', Department: null, type: 'identity' },
    ]);
  });

  test('have one value per element for columns of an array, null where an element has none', async () => {
    const columns = ['@accounts.name', 'accounts.source.name'];
    assert.deepEqual((await rows(identities('id:ada OR id:bob', { columns })))[1], {
      'accounts.name': [null],
      'accounts.source.name': ['Payroll'],
    });
    assert.equal(
      await csv(identities('id:ada', { columns: ['accounts.source.name', 'accounts.privileged'] })),
      'accounts.source.name,accounts.privileged\r\n"Payroll; Directory","true; "\r\n',
    );
  });

  test('have default columns that suit the index and that documents fill', async () => {
    const [first] = await rows(identities('id:ada'));
    assert.deepEqual(Object.keys(first ?? {}), [
      ...['displayName', 'manager.name', 'attributes.department'],
    ]);
    const all = await rows({ query: { query: 'ada' } });
    assert.deepEqual(
      all.map(({ _type, id }) => [_type, id]),
      [
        ['identity', 'ada'],
        ['role', 'ada'],
      ],
    );
  });

  test('follow the sort, and the id where it ties', async () => {
    const columns = ['id'];
    const ids = async (sort: string[]) =>
      (await rows(identities('*', { columns, sort }))).map(({ id }) => id);
    assert.deepEqual(await ids(['-accountCount']), ['ada', 'bob', 'cleo']);
    assert.deepEqual(await ids(['-id', 'name']), ['cleo', 'bob', 'ada']);
    assert.deepEqual(await ids(['manager.displayName']), ['ada', 'bob', 'cleo']);
    assert.deepEqual(await ids(['_doc']), ['ada', 'bob', 'cleo']);
  });

  test('are counted and limited on request', async () => {
    const answer = await service.call(
      'POST',
      '/v2024/search/rows?count=true&limit=1',
      identities('*', { columns: ['id'] }),
    );
    assert.equal(answer.headers.get('x-total-count'), '3');
    assert.deepEqual(await answer.json(), [{ id: 'ada' }]);
    assert.deepEqual(await rows(identities('*'), 'limit=0'), []);
    assert.deepEqual(await rows(identities('nothing')), []);
  });

  test('are there in every path version, with the right of a search', async () => {
    for (const area of publicPrefixes('/search')) {
      const answer = await service.call('POST', `${area}/rows`, identities('*'));
      assert.equal(answer.status, 200, area);
      await answer.text();
    }
    const bare = await fetch(`${service.url}/v3/search/rows`, { method: 'POST', body: '{}' });
    assert.equal(bare.status, 401);
    await bare.text();
  });
});

describe('rows of elements', () => {
  const columns = ['displayName', '@accounts.id'];
  const pairs = async (query: string, more: object = {}) =>
    (await rows(identities(query, { rows: 'accounts', columns, ...more }))).map((row) => [
      row['displayName'],
      row['accounts.id'],
    ]);

  test('are the elements that match the clauses on their array', async () => {
    assert.deepEqual(await pairs('@accounts(disabled:true)'), [
      ['Ada Byron', 'a2'],
      ['Bob Stone', 'b1'],
    ]);
    assert.deepEqual(await pairs('@accounts(disabled:true AND source.name:Payroll)'), [
      ['Bob Stone', 'b1'],
    ]);
    assert.deepEqual(await pairs('@accounts(disabled:true) AND @accounts(privileged:true)'), [
      ['Ada Byron', 'a1'],
      ['Ada Byron', 'a2'],
    ]);
    assert.deepEqual(await pairs('accounts.source.name:Directory'), [['Ada Byron', 'a2']]);
  });

  test('are all elements without such a clause, below NOT, and on request', async () => {
    const all = [
      ['Ada Byron', 'a1'],
      ['Ada Byron', 'a2'],
      ['Bob Stone', 'b1'],
    ];
    assert.deepEqual(await pairs('*'), all);
    assert.deepEqual(await pairs('NOT @accounts(privileged:true)'), all.slice(2));
    assert.deepEqual(await pairs('@accounts(disabled:true)', { elements: 'all' }), all);
    assert.deepEqual(await pairs('@access(name:Reader)'), all.slice(0, 2));
  });

  test('follow query.innerHit, filters, and the query DSL', async () => {
    const innerHit = { query: 'privileged:true', type: 'accounts' };
    const answer = await rows({
      indices: ['identities'],
      query: { query: '*', innerHit },
      columns,
    });
    assert.deepEqual(answer, [{ displayName: 'Ada Byron', 'accounts.id': 'a1' }]);
    const filters = { 'accounts.source.name': { type: 'TERMS', terms: ['Directory'] } };
    assert.deepEqual(await pairs('*', { filters }), [['Ada Byron', 'a2']]);
    const queryDsl = {
      nested: { path: 'accounts', query: { term: { 'accounts.disabled': false } } },
    };
    const body = {
      indices: ['identities'],
      queryType: 'DSL',
      queryDsl,
      rows: '@accounts',
      columns,
    };
    assert.deepEqual(await rows(body), [{ displayName: 'Ada Byron', 'accounts.id': 'a1' }]);
  });

  test('are counted, not their documents', async () => {
    const answer = await service.call(
      'POST',
      '/v2024/search/rows?count=true&format=ndjson',
      identities('@accounts(source.name:*)', { rows: 'accounts', columns }),
    );
    assert.equal(answer.headers.get('x-total-count'), '3');
    assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    assert.equal((await answer.text()).split('\n').length, 4);
    assert.equal((await rows(identities('*', { rows: 'accounts' }), 'limit=2')).length, 2);
  });

  test('come from every requested index that has the array', async () => {
    const body = {
      query: { query: '*' },
      rows: 'entitlements',
      columns: ['name', '@entitlements.id'],
    };
    assert.deepEqual(await rows(body), [{ name: 'Ada role', 'entitlements.id': 'e' }]);
  });
});

describe('CSV', () => {
  test('is quoted by RFC 4180, with formulas neutralised and numbers left alone', async () => {
    const columns = ['displayName', 'manager.displayName', 'accountCount', '@accounts.name'];
    assert.equal(
      await csv(identities('id:ada', { columns, rows: 'accounts' })),
      [
        'displayName,manager.displayName,accountCount,accounts.name\r\n',
        'Ada Byron,"Max, the ""Boss""",2,ada\r\n',
        'Ada Byron,"Max, the ""Boss""",2,"\'=HYPERLINK(""x"")"\r\n',
      ].join(''),
    );
    const phone = ['attributes.phone', 'attributes.employee.type'];
    assert.match(await csv(identities('id:ada', { columns: phone })), /\r\n'\+47 123,staff\r\n$/);
    assert.match(
      await csv(identities('id:cleo', { columns: ['displayName', 'accountCount'] })),
      /\r\n'-5,-5\r\n$/,
    );
  });

  test('has its header without rows, and objects as JSON', async () => {
    assert.equal(await csv(identities('nothing', { columns: ['id', 'name'] })), 'id,name\r\n');
    assert.match(
      await csv(identities('id:ada', { columns: ['manager'] })),
      /^manager\r\n"\{""id"":""max""/,
    );
  });

  test('is chosen by format, whatever Accept says', async () => {
    for (const [accept, format, type] of [
      ['application/json', 'csv', 'text/csv;charset=utf-8'],
      ['text/csv', 'json', 'application/json; charset=utf-8'],
      ['text/csv;q=0.5, application/x-ndjson', undefined, 'application/x-ndjson; charset=utf-8'],
      ['application/ndjson', undefined, 'application/x-ndjson; charset=utf-8'],
      ['text/csv, application/json', undefined, 'application/json; charset=utf-8'],
      ['image/png', undefined, 'application/json; charset=utf-8'],
    ] as const) {
      const parameter = format === undefined ? '' : `?format=${format}`;
      const headers = { accept };
      const path = `/v2024/search/rows${parameter}`;
      const answer = await service.call('POST', path, identities('*'), headers);
      assert.equal(answer.headers.get('content-type'), type, `${accept} ${format}`);
      await answer.text();
    }
  });
});

test('errors name what is wrong, where, and what was meant', async () => {
  const cases: readonly [object, string, RegExp][] = [
    [
      { rows: 'acounts' },
      '',
      /^rows: "acounts" is not an array .* documents, access, accounts, apps; did you mean "accounts"\?$/,
    ],
    [
      { columns: ['displayNam'] },
      '',
      /^columns\[0\]: .*"displayNam"; did you mean "displayName"\?$/,
    ],
    [
      { columns: [{ field: 'departmnt' }] },
      '',
      /^columns\[0\]\.field: .*did you mean "attributes\.department"\?$/,
    ],
    [{ columns: ['constructor'] }, '', /^columns\[0\]: no requested index has a field/],
    [{ columns: ['id', 'actor.name'] }, '', /^columns\[1\]: .*; events has it$/],
    [
      { rows: 'accounts', columns: ['id', '@access.name'] },
      '',
      /^columns\[1\]: "access\.name" is a field of access, but the rows are elements of accounts; .* rows: "access"$/,
    ],
    [
      { columns: ['id', { field: '@id', header: 'Id' }] },
      '',
      /^columns\[1\]\.field: columns\[0\] has the field "id", too; leave out one of the two$/,
    ],
    [
      { columns: ['id', { field: 'name', header: 'id' }] },
      '',
      /^columns\[1\]\.field: columns\[0\] has the header "id", too; set another header$/,
    ],
    [{ columns: ['id', 7] }, '', /^columns\[1\]: expected an object$/],
    [{ columns: 'id' }, '', /^columns: expected an array/],
    [{ columns: [{ header: 'x' }] }, '', /^columns\[0\]\.field: is required$/],
    [{ elements: 'some' }, '', /^elements: "some" is none of matching, all$/],
    [{ searchAfter: ['x'] }, '', /^searchAfter: is not possible with rows/],
    [{}, 'offset=5', /^offset: is not possible with rows/],
    [{}, 'limit=-1', /^limit: "-1" is not a whole number/],
    [{}, 'format=xml', /^format: "xml" is none of json, ndjson, csv$/],
    [{ queryType: 'TYPEAHEAD' }, '', /^queryType: TYPEAHEAD finds values/],
    [{ query: { query: '(' } }, '', /./],
    [
      { rows: 'access', query: { query: '*', innerHit: { query: '*', type: 'accounts' } } },
      '',
      /^rows: must be "accounts", the type of query\.innerHit/,
    ],
  ];
  for (const [change, parameters, expected] of cases) {
    assert.match(
      await refusal(identities('*', change), parameters),
      expected,
      JSON.stringify(change),
    );
  }
});

test('an unknown name in the query is a warning, as in a search', async () => {
  const answer = await service.call('POST', '/v3/search/rows', identities('departmnt:Sales'));
  assert.match(answer.headers.get('warning') ?? '', /attributes\.department/);
  await answer.text();
});

interface Account {
  readonly name: string;
  readonly disabled: boolean;
}

/** A query on accounts, and what it means for a naive reader of documents. */
interface Criterion {
  readonly text: string;
  matches(accounts: readonly Account[]): boolean;
  /** True for an element that a clause asks for. */
  asksFor(account: Account): boolean;
  /** True for an element that a clause below NOT asks for. */
  excludes(account: Account): boolean;
  /** Whether any clause asks for elements, and the same below NOT. */
  readonly asks: boolean;
  readonly asksBelowNot: boolean;
}

const clause = (text: string, is: (account: Account) => boolean): Criterion => ({
  text: `@accounts(${text})`,
  matches: (accounts) => accounts.some(is),
  asksFor: is,
  excludes: () => false,
  asks: true,
  asksBelowNot: false,
});

const joined = (word: 'AND' | 'OR', one: Criterion, other: Criterion): Criterion => ({
  text: `(${one.text} ${word} ${other.text})`,
  matches: (accounts) =>
    word === 'AND'
      ? one.matches(accounts) && other.matches(accounts)
      : one.matches(accounts) || other.matches(accounts),
  asksFor: (account) => one.asksFor(account) || other.asksFor(account),
  excludes: (account) => one.excludes(account) || other.excludes(account),
  asks: one.asks || other.asks,
  asksBelowNot: one.asksBelowNot || other.asksBelowNot,
});

const negated = (one: Criterion): Criterion => ({
  text: `(NOT ${one.text})`,
  matches: (accounts) => !one.matches(accounts),
  asksFor: one.excludes,
  excludes: one.asksFor,
  asks: one.asksBelowNot,
  asksBelowNot: one.asks,
});

const CLAUSES = [
  clause('disabled:true', ({ disabled }) => disabled),
  clause('disabled:false AND name:alpha', ({ disabled, name }) => !disabled && name === 'alpha'),
  clause('NOT name:beta', ({ name }) => name !== 'beta'),
];

const { criterion } = fc.letrec<{ criterion: Criterion }>((tie) => ({
  criterion: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...CLAUSES),
    fc
      .tuple(fc.constantFrom('AND' as const, 'OR' as const), tie('criterion'), tie('criterion'))
      .map(([word, one, other]) => joined(word, one, other)),
    tie('criterion').map(negated),
  ),
}));

test('rows are those of a walk over the documents, for any query and sort', async () => {
  const world = await startService();
  try {
    const account = fc.record({
      name: fc.constantFrom('alpha', 'beta', '=gamma'),
      disabled: fc.boolean(),
    });
    const person = fc.record({
      name: fc.constantFrom('x', 'y', 'z'),
      accounts: fc.array(account, { maxLength: 4 }),
    });
    let generation = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 150 }),
        criterion,
        fc.boolean(),
        async (people, { text, matches, asksFor, asks }, isSorted) => {
          generation += 1;
          const tag = `g${generation}`;
          const documents = people.map((one, at) => ({
            ...{ _type: 'identity', id: `${tag}-${String(at).padStart(4, '0')}`, tags: [tag] },
            ...one,
          }));
          await world.addDocuments(documents);
          const body = identities(`tags:${tag} AND ${text}`, {
            rows: 'accounts',
            columns: ['id', 'name', '@accounts.name', '@accounts.disabled'],
            ...(isSorted && { sort: ['-name'] }),
          });
          const answer = await world.call('POST', '/v3/search/rows?count=true', body);
          const walked = isSorted
            ? documents.toSorted((a, b) => b.name.localeCompare(a.name))
            : documents;
          const expected = walked.flatMap(({ id, name, accounts }) =>
            accounts
              .filter((one) => matches(accounts) && (!asks || asksFor(one)))
              .map((one) => ({
                ...{ id, name, 'accounts.name': one.name, 'accounts.disabled': one.disabled },
              })),
          );
          assert.deepEqual(await answer.json(), expected);
          assert.equal(answer.headers.get('x-total-count'), String(expected.length));
        },
      ),
      { numRuns: caseCount(25, 300) },
    );
  } finally {
    await world.stop();
  }
});

test('a document that matches throughout is there once, while others come, change and go', async () => {
  const world = await startService();
  try {
    const id = (n: number) => `p${String(n).padStart(6, '0')}`;
    const person = (n: number, name: string) => ({
      ...{ _type: 'identity', id: id(n), name, attributes: { note: 'x'.repeat(8_000) } },
    });
    const steady = Array.from({ length: 800 }, (_, n) => person(2 * n, 'steady'));
    await world.addDocuments(steady);
    const headers = {
      authorization: `Bearer ${await world.token()}`,
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
    };
    const body = JSON.stringify(identities('*', { columns: ['id', 'name', 'attributes.note'] }));
    const answer = await fetch(`${world.url}/v3/search/rows`, { method: 'POST', headers, body });
    const reader = (answer.body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let round = 0; ; round += 1) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
      if (round % 20 !== 0 || round > 200) continue;
      const coming = Array.from({ length: 20 }, (_, n) => person(2 * n * round + 1, 'new'));
      const changed = Array.from({ length: 20 }, (_, n) => person(2 * n * 40, 'changed'));
      await world.addDocuments([...coming, ...changed]);
    }
    const ids = text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    assert.equal(new Set(ids).size, ids.length);
    const received = new Set(ids);
    assert.deepEqual(
      steady.map((one) => one.id).filter((one) => !received.has(one)),
      [],
    );
  } finally {
    await world.stop();
  }
});

test('a client that stops reading delays no search, and one that leaves ends the walk', async () => {
  const world = await startService({ CARDEA_MAX_SEARCHES: '2', CARDEA_QUEUE_WAIT_MS: '60000' });
  try {
    const description = 'x'.repeat(20_000);
    await world.addDocuments(
      Array.from({ length: 1_000 }, (_, n) => ({
        ...{ _type: 'role', id: `r${n}`, name: 'r', description },
      })),
    );
    const headers = {
      authorization: `Bearer ${await world.token()}`,
      'content-type': 'application/json',
    };
    const rowsOf = (query: string) => ({
      ...{ indices: ['roles'], query: { query }, columns: ['id', 'description'] },
    });
    const control = new AbortController();
    const answer = await fetch(`${world.url}/v3/search/rows`, {
      ...{ method: 'POST', headers, body: JSON.stringify(rowsOf('*')), signal: control.signal },
    });
    assert.equal(answer.status, 200);
    for (const path of ['/v3/search', '/v3/search/count']) {
      const search = await world.call('POST', path, rowsOf('id:r1'));
      assert.ok(search.ok, path);
      await search.text();
    }
    // There is one place for a stream of rows, so this answer waits for the end of the other.
    const next = world.call('POST', '/v3/search/rows', rowsOf('id:r1'));
    control.abort();
    assert.equal((await next).status, 200);
    assert.equal(((await (await next).json()) as object[]).length, 1);
  } finally {
    await world.stop();
  }
});
