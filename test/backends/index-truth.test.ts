// Another program works on the indexes in OpenSearch: whatever it does to a document, an answer holds what the
// store has, a view hides what it hides, and the index is mended.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { FIRST_GENERATION } from '../../src/backends/opensearch/indexes/committed-state.ts';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { addUser, type Party } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { type RunningService, startService } from '../support/service.ts';
import { indexesOf, send } from './fed-world.ts';

type Json = Record<string, unknown>;

const PREFIX = 'truth';
const people: readonly Json[] = [
  ['i-1', 'Ada Adams', 'Sales'],
  ['i-2', 'Adam Brown', 'Sales'],
  ['i-3', 'Eve Zadam', 'Payroll'],
  ['i-4', 'Adaline Xu', 'Payroll'],
].map(([id = '', name = '', department = '']) => ({
  ...{ _type: 'identity', id, name, displayName: name, phone: `+43 ${id}` },
  attributes: { department, city: `City of ${id}` },
  accounts: [
    { id: `a-${id}`, name: `first of ${name}`, source: { id: 's-1', name: 'HR' } },
    { id: `b-${id}`, name: `second of ${name}`, source: { id: 's-2', name: 'Mail' } },
  ],
}));

let url: string;
let service: RunningService;
/** Sees the people of Sales, without their phones. */
let viewer: Party;
/** The index of identities, with a slash. */
let index: string;

before(async () => {
  url = (await sharedOpenSearch()).url;
  service = await startService({
    CARDEA_SEARCH_URL: url,
    CARDEA_SEARCH_PREFIX: PREFIX,
    CARDEA_SEARCH_COMPARISON_SECONDS: '0',
    CARDEA_METRICS: 'on',
  });
  index = `${url}/${PREFIX}-${service.tenantId}-identities-${FIRST_GENERATION}`;
  await service.addDocuments(people);
  const view = { name: 'sales', indices: { identities: 'attributes.department:Sales' } };
  const created = await service.call('POST', '/admin/v1/views', { ...view, hide: ['phone'] });
  assert.equal(created.status, 201);
  viewer = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
  const assigned = { view: 'sales' };
  const path = `/admin/v1/auth-users/${viewer.userId}`;
  assert.equal((await service.call('PATCH', path, assigned)).status, 200);
  truths = await Promise.all(questions.map(({ ask }) => ask()));
});
after(() => service.stop());

/** A document as OpenSearch has it. */
async function sourceOf(id: string): Promise<{ readonly text: string; readonly json: Json }> {
  const answer = await fetch(`${index}/_source/${id}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return { text, json: JSON.parse(text) as Json };
}

const put = (id: string, body: unknown) =>
  fetch(`${index}/_doc/${id}?refresh=true`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }).then(async (answer) => assert.ok(answer.ok, await answer.text()));
const update = (id: string, doc: Json) =>
  send(`${index}/_update/${id}?refresh=true`, 'POST', { doc });
const remove = (id: string) => send(`${index}/_doc/${id}?refresh=true`, 'DELETE');

/** What another program does. */
const interferences: readonly (readonly [what: string, act: () => Promise<unknown>])[] = [
  ['writes it with other spacing', async () => put('i-2', spaced((await sourceOf('i-2')).json))],
  [
    'changes a value by _update',
    () => update('i-2', { name: 'Mallory', phone: '666', accounts: [{ name: 'one' }, {}, {}] }),
  ],
  ['moves it into a view by _update', () => update('i-3', { attributes: { department: 'Sales' } })],
  ['moves it out of a view by _update', () => update('i-2', { attributes: { department: 'X' } })],
  ['shortens it', () => put('i-2', { id: 'i-2', '%id': 'i-2', name: 'Adam' })],
  [
    'cuts its text',
    async () => put('i-2', (await sourceOf('i-2')).text.replace('Adam Brown', 'Adam')),
  ],
  [
    'changes a letter of its text',
    async () => put('i-2', (await sourceOf('i-2')).text.replaceAll('Adam Brown', 'Adam Green')),
  ],
  ['replaces it', () => put('i-2', { foreign: [1, 2, { _source: { '%source': '1 2 3' } }] })],
  ['replaces it with wrong places', () => put('i-2', { '%source': '9 9 9 99999999 1 2', a: {} })],
  ['writes another document in its place', async () => put('i-2', (await sourceOf('i-3')).text)],
  [
    'copies it',
    async () => put('copy', (await sourceOf('i-3')).text.replace('Payroll', 'Sales  ')),
  ],
  ['adds a document', () => put('added', { id: 'added', '%id': 'added', name: 'Ada' })],
  ['adds a document without an id', () => put('stray', { name: 'Ada' })],
  ['deletes it', () => remove('i-2')],
  [
    'deletes it, and writes an older state of it',
    async () => {
      const { text } = await sourceOf('i-2');
      await remove('i-2');
      await put('i-2', text);
    },
  ],
];

const spaced = (json: Json) => JSON.stringify(json, null, 1);

async function read(caller: Pick<Party, 'call'>, method: string, path: string, body?: Json) {
  const answer = await caller.call(method, path, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return { answer, json: JSON.parse(text) as unknown };
}

const SEARCH = { indices: ['identities'], query: { query: '*' } };

/** What readers ask, as what must be true of each answer: the documents or rows of it. */
const questions: readonly { readonly what: string; ask(): Promise<readonly unknown[]> }[] = [
  ...[['id'], ['-displayName', 'id'], []].map((sort) => ({
    what: `a page sorted by ${sort.join()}`,
    ask: async () =>
      (await read(service, 'POST', '/v2024/search?count=true', { ...SEARCH, sort }))
        .json as unknown[],
  })),
  {
    what: 'a large page of two indexes',
    ask: async () => {
      const body = { ...SEARCH, indices: ['identities', 'roles'], sort: ['id'] };
      return (await read(service, 'POST', '/v2024/search?limit=250', body)).json as unknown[];
    },
  },
  {
    what: 'a page through a view',
    ask: async () =>
      (await read(viewer, 'POST', '/v2024/search', { ...SEARCH, sort: ['id'] })).json as unknown[],
  },
  {
    what: 'a count',
    ask: async () => {
      const answer = await service.call('POST', '/v2024/search/count', SEARCH);
      assert.match(answer.headers.get('x-total-count') ?? '', /^[3-5]$/);
      return [];
    },
  },
  {
    what: 'rows of elements',
    ask: async () => {
      const body = { ...SEARCH, rows: 'accounts', columns: ['id', '@accounts.name'] };
      return rowsOf(await read(service, 'POST', '/v2024/search/rows', body));
    },
  },
  {
    what: 'rows of elements in their order',
    ask: async () => {
      const body = { ...SEARCH, rows: 'accounts', columns: ['id', '@accounts.name'] };
      const sort = ['-@accounts.name'];
      return rowsOf(await read(service, 'POST', '/v2024/search/rows', { ...body, sort }));
    },
  },
  {
    what: 'documents of buckets',
    ask: async () => {
      const hits = { top_hits: { size: 10, _source: ['id', 'name', 'phone'] } };
      const body = {
        ...SEARCH,
        aggregationsDsl: { all: { filter: { match_all: {} }, aggs: { hits } } },
      };
      return hitsOf(await read(service, 'POST', '/v2024/search/aggregate?limit=0', body));
    },
  },
  {
    what: 'documents of buckets through a view',
    ask: async () => {
      const hits = { top_hits: { size: 10, _source: ['id', 'name'] } };
      const body = {
        ...SEARCH,
        aggregationsDsl: { all: { filter: { match_all: {} }, aggs: { hits } } },
      };
      return hitsOf(await read(viewer, 'POST', '/v2024/search/aggregate?limit=0', body));
    },
  },
  {
    what: 'a document by its id',
    ask: async () => [(await read(service, 'GET', '/v2024/search/identities/i-2')).json],
  },
  {
    what: 'a document by its id through a view',
    ask: async () => {
      const hidden = await viewer.call('GET', '/v2024/search/identities/i-3');
      assert.equal(hidden.status, 404);
      const answer = await viewer.call('GET', '/v2024/search/identities/i-2');
      return answer.status === 404 ? [] : [await answer.json()];
    },
  },
];

const rowsOf = ({ json }: { readonly json: unknown }) =>
  (json as { readonly rows?: unknown[] }).rows ?? (json as unknown[]);

function hitsOf({ json }: { readonly json: unknown }): unknown[] {
  const all = (json as { aggregations: { all: { hits: { hits: { hits: Json[] } } } } })
    .aggregations;
  return all.all.hits.hits.hits.map(({ _id, _source }) => ({ _id, _source }));
}

/** What all questions answer of the documents as they are. */
let truths: readonly (readonly unknown[])[] = [];

/** Waits until the index holds what the store has, and nothing else. */
async function isMended(): Promise<void> {
  await eventually(async () => {
    for (const [at, { what, ask }] of questions.entries()) {
      assert.deepEqual(await ask(), truths[at], what);
    }
    const { count } = (await send(`${index}/_count`, 'GET')) as { readonly count: number };
    assert.equal(count, people.length);
  });
}

describe('whatever another program does to a document', () => {
  for (const [what, act] of interferences) {
    test(`it ${what}: answers are of the store, and importing again mends the index`, async () => {
      for (const [at, { what: asked, ask }] of questions.entries()) {
        await act();
        const shown = new Set(truths[at]?.map((one) => JSON.stringify(one)));
        for (const one of await ask()) {
          assert.ok(shown.has(JSON.stringify(one)), `${asked}: ${JSON.stringify(one)}`);
        }
        const { unchanged } = await service.addDocuments(people);
        assert.equal(unchanged, people.length);
        await isMended();
      }
    });
  }
});

describe('without a search or an import', () => {
  let compared: RunningService;
  let own: string;

  before(async () => {
    compared = await startService({
      CARDEA_SEARCH_URL: url,
      CARDEA_SEARCH_PREFIX: `${PREFIX}_compared`,
      CARDEA_SEARCH_COMPARISON_SECONDS: '1',
      CARDEA_METRICS: 'on',
    });
    own = `${url}/${PREFIX}_compared-${compared.tenantId}-identities-${FIRST_GENERATION}`;
    await compared.addDocuments(people);
  });
  after(() => compared.stop());

  /** Ids, and the names that OpenSearch has of the documents. */
  async function held(): Promise<readonly (readonly unknown[])[]> {
    const answer = (await send(`${own}/_search?size=100`, 'GET')) as {
      readonly hits: { readonly hits: { readonly _id: string; readonly _source: Json }[] };
    };
    return answer.hits.hits.map(({ _id, _source }) => [_id, _source['name']]).sort();
  }

  const cases: readonly (readonly [what: string, act: () => Promise<unknown>])[] = [
    ['deleted', () => send(`${own}/_doc/i-2?refresh=true`, 'DELETE')],
    ['added', () => send(`${own}/_doc/added?refresh=true`, 'PUT', { '%id': 'added', name: 'Eve' })],
    ['added without an id', () => send(`${own}/_doc/stray?refresh=true`, 'PUT', { name: 'Eve' })],
    [
      'copied',
      async () => {
        const source = (await send(`${own}/_source/i-3`, 'GET')) as Json;
        await send(`${own}/_doc/copy?refresh=true`, 'PUT', source);
      },
    ],
    [
      'changed',
      () => send(`${own}/_update/i-2?refresh=true`, 'POST', { doc: { name: 'Mallory' } }),
    ],
    [
      'given a version of another program',
      () =>
        send(`${own}/_doc/i-2?refresh=true&version_type=external&version=${10 ** 15}`, 'PUT', {
          name: 'Mallory',
        }),
    ],
  ];
  for (const [what, act] of cases) {
    test(`a document that another program has ${what} is mended by the comparison`, async () => {
      const before = await held();
      assert.equal(before.length, people.length);
      await act();
      assert.notDeepEqual(await held(), before);
      await eventually(async () => assert.deepEqual(await held(), before));
    });
  }

  test('a metric counts what was mended, and a later change is found', async () => {
    const metrics = await (await fetch(`${compared.url}/metrics`)).text();
    const found = /^cardea_index_mended_documents_total\{found_by="comparison"\} (\d+)$/m.exec(
      metrics,
    );
    assert.ok(Number(found?.[1]) >= cases.length, metrics);
    assert.match(
      metrics,
      /^cardea_index_comparison_timestamp_seconds\{search="opensearch"\} 1\d{9}/m,
    );
    // Its version in OpenSearch is beyond that of any change.
    const [, second] = people;
    await compared.addDocuments([{ ...second, name: 'Adam Green' }]);
    assert.deepEqual((await held())[1], ['i-2', 'Adam Green']);
  });
});

describe('an empty store', () => {
  test('beside indexes in OpenSearch is refused, unless it is to begin anew', async () => {
    const prefix = `${PREFIX}_lost`;
    const settings = { CARDEA_SEARCH_URL: url, CARDEA_SEARCH_PREFIX: prefix };
    const lost = await startService(settings);
    await lost.addDocuments(people);
    await lost.stop();
    const before = await indexesOf(url, prefix);
    assert.ok(before.length > 0);
    await assert.rejects(startService(settings), {
      code: 'unavailable',
      message: /is empty, but OpenSearch, with the prefix truth_lost .*--new/,
    });
    assert.deepEqual(await indexesOf(url, prefix), before);
    const dataDir = mkdtempSync(join(tmpdir(), 'cardea-new-'));
    const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0', ...settings });
    const cardea = await compose(config, { log: pino({ level: 'silent' }), newStore: true });
    try {
      await cardea.start();
      await eventually(async () => assert.deepEqual(await indexesOf(url, prefix), []));
    } finally {
      await cardea.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('commands', () => {
  test('doctor names what another program has done, and an import without a server mends it', async () => {
    const prefix = `${PREFIX}_commands`;
    const dataDir = mkdtempSync(join(tmpdir(), 'cardea-commands-'));
    const file = join(dataDir, 'people.ndjson');
    writeFileSync(file, people.map((one) => JSON.stringify(one)).join('\n'));
    const run = async (...args: string[]) => {
      const env = { CARDEA_SEARCH_URL: url, CARDEA_SEARCH_PREFIX: prefix };
      const line = commandLine([...args, '--data-dir', dataDir], { env });
      await line.ended;
      return line.out() + line.err();
    };
    try {
      await run('tenant', 'create', 'acme');
      assert.match(await run('import', file), /^4 created/m);
      assert.match(await run('doctor'), /search index +up to date/);
      const names = (await indexesOf(url, prefix)).map(({ index: name }) => name);
      const own = `${url}/${names.find((name) => name.includes('identities'))}`;
      await send(`${own}/_doc/i-2?refresh=true`, 'DELETE');
      await send(`${own}/_update/i-3?refresh=true`, 'POST', { doc: { name: 'Mallory' } });
      await send(`${own}/_doc/added?refresh=true`, 'PUT', { name: 'Eve' });
      const found = await run('doctor');
      assert.match(found, /identities of acme: 1 missing, 1 too many, 1 different/);
      assert.match(await run('import', file), /0 created, 0 updated, 4 unchanged/);
      assert.match(await run('doctor'), /identities of acme: 0 missing, 1 too many, 0 different/);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
