// Explaining a search over real HTTP: the same body and right as a search, every path version, warnings of unknown names
// on searches too, and faults that show their place in the query text.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

before(async () => {
  service = await startService();
  await service.addDocuments([
    {
      _type: 'identity',
      id: 'ada',
      name: 'ada.byron',
      displayName: 'Ada Byron',
      accounts: [
        { id: 'a1', source: { name: 'Payroll' }, disabled: false },
        { id: 'a2', source: { name: 'Directory' }, disabled: true },
      ],
    },
    { _type: 'identity', id: 'bob', name: 'bob.stone', displayName: 'Bob Stone' },
    { _type: 'role', id: 'r1', name: 'Ada role' },
  ]);
});
after(() => service.stop());

interface Explained {
  readonly plan: string;
  readonly matched: number;
  readonly milliseconds: Readonly<Record<string, number>>;
  readonly freeWords: Readonly<Record<string, { words: string[]; weights: object }>>;
  readonly warnings: readonly { field: string; nearest: string | null; text: string }[];
  readonly document?: { matched: boolean; score: number | null; clauses: Clause };
}

interface Clause {
  readonly clause: string;
  readonly matched: boolean;
  readonly score?: number;
  readonly elements?: readonly number[];
  readonly children?: readonly Clause[];
}

const query = (text: string, more: object = {}) => ({
  indices: ['identities'],
  query: { query: text },
  ...more,
});

async function explain(body: object, parameters = ''): Promise<Explained> {
  const answer = await service.call('POST', `/v2024/search/explain?${parameters}`, body);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Explained;
}

test('every path version explains alike', async () => {
  for (const area of publicPrefixes('/search')) {
    const answer = await service.call('POST', `${area}/explain`, query('ada*'));
    assert.equal(answer.status, 200, area);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(((await answer.json()) as Explained).matched, 1, area);
  }
});

test('it tells plan, matches, time and where words without a field are looked for', async () => {
  const explanation = await explain(query('ada', { indices: ['identities', 'roles'] }), 'limit=1');
  assert.match(explanation.plan, /^identities: .*\nroles: .*\nrows: 0 \+ 1$/);
  assert.equal(explanation.matched, 2);
  for (const ms of Object.values(explanation.milliseconds)) assert.ok(ms >= 0 && ms < 60_000);
  assert.ok(explanation.freeWords['identities']?.words.includes('accounts.source.name'));
  assert.ok(!explanation.freeWords['roles']?.words.includes('accounts.source.name'));
  assert.deepEqual(explanation.warnings, []);
  assert.equal(explanation.document, undefined);
});

test('a document that is found is explained with the score of its hit', async () => {
  const { document } = await explain(query('byron displayName:stone'), 'id=ada');
  assert.equal(document?.matched, true);
  assert.ok((document?.score ?? 0) > 0);
  assert.deepEqual(
    document?.clauses.children?.map(({ matched }) => matched),
    [true, false],
  );
});

test('a document that is not found says which element met which condition', async () => {
  const body = query('@accounts(source.name:Payroll AND disabled:true)');
  const { document, matched } = await explain(body, 'index=identities&id=ada');
  assert.equal(matched, 0);
  assert.equal(document?.matched, false);
  const [both] = document?.clauses.children ?? [];
  assert.deepEqual(both?.elements, []);
  assert.deepEqual(
    both?.children?.map(({ elements }) => elements),
    [[0], [1]],
  );
});

test('with an inner query the documents are counted, not their elements', async () => {
  const inner = { query: '*', type: 'accounts' };
  const { matched } = await explain({
    indices: ['identities'],
    query: { query: '*', innerHit: inner },
  });
  assert.equal(matched, 1);
});

describe('a document that cannot be asked about', () => {
  const table: readonly (readonly [parameters: string, body: object, status: number, RegExp])[] = [
    ['id=nobody', query('*'), 404, /no document "nobody" in identities/],
    ['id=r1&index=identities', query('*'), 404, /no document "r1"/],
    ['id=ada', { query: { query: '*' } }, 400, /index: is required/],
    ['id=ada&index=roles', query('*'), 400, /not among the indices searched/],
    ['id=ada&index=people', query('*'), 400, /is none of accessprofiles/],
    ['index=identities', query('*'), 400, /id: is required/],
  ];
  for (const [parameters, body, status, cause] of table) {
    test(`${parameters} is a ${status}`, async () => {
      const answer = await service.call('POST', `/v2024/search/explain?${parameters}`, body);
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      const { causes } = JSON.parse(text) as { causes: { text: string }[] };
      assert.match(causes[0]?.text ?? '', cause);
    });
  }
});

test('whoever may not search gets no explanation either', async () => {
  const [id = ''] = await service.addAuthUsers(1);
  const pat = await createCredential(
    service.cardea.store,
    service.tenantId,
    'pat',
    {
      name: 'x',
    },
    { ownerId: id },
  );
  const token = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: pat.credential.id,
      client_secret: pat.secret,
    }),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}` };
  const path = '/v2024/search/explain';
  assert.equal((await service.call('POST', path, query('*'), headers)).status, 403);
  const anonymous = await fetch(`${service.url}${path}`, { method: 'POST', body: '{}' });
  assert.equal(anonymous.status, 401);
});

describe('a name that no index knows', () => {
  const misspelt = query('displayname:ada @acounts(id:x)', { filters: { nmae: { terms: ['x'] } } });
  const warnings = [
    'No requested index has a field "displayname"; did you mean "displayName"?',
    'No requested index has a nested array "acounts"; did you mean "accounts"?',
    'No requested index has a field "nmae"; did you mean "name"?',
  ];
  const header = (texts: readonly string[]) =>
    texts.map((text) => `299 - "${text.replaceAll('"', '\\"')}"`).join(', ');

  test('is a warning of a search and of a count, which answer all the same', async () => {
    for (const [path, status] of [
      ['/v2024/search?count=true', 200],
      ['/v2024/search/count', 204],
    ] as const) {
      const answer = await service.call('POST', path, misspelt);
      assert.equal(answer.status, status);
      assert.deepEqual(
        answer.headers.get('warning')?.split('299').sort(),
        header(warnings.toSorted()).split('299').sort(),
      );
      assert.equal(answer.headers.get('x-total-count'), '0');
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /\bWarning\b/);
    }
  });

  test('is a warning of an aggregation, in its query as in what is aggregated', async () => {
    const nested = (field: string) => ({
      nested: { path: 'accounts' },
      aggs: { inner: { terms: { field } } },
    });
    const aggregations = (name: string, account: string) => ({
      indices: ['identities'],
      aggregationsDsl: { names: { terms: { field: name } }, accounts: nested(account) },
    });
    const ask = async (body: object) => {
      const answer = await service.call('POST', '/v2024/search/aggregate', body);
      assert.equal(answer.status, 200, await answer.clone().text());
      return answer.headers.get('warning');
    };
    assert.equal(await ask(aggregations('name.exact', 'accounts.source.name')), null);
    const warning = await ask(aggregations('nmae.exact', 'accounts.sorce.name'));
    assert.match(warning ?? '', /"nmae\.exact\\"; did you mean \\"name/);
    assert.match(warning ?? '', /did you mean \\"accounts\.source\.name/);
  });

  test('is listed by an explanation', async () => {
    const explanation = await explain(misspelt);
    assert.deepEqual(explanation.warnings.map(({ text }) => text).sort(), warnings.toSorted());
  });

  test('is none when another requested index knows it', async () => {
    const body = query('accountCount:1', { indices: ['identities', 'roles'] });
    const answer = await service.call('POST', '/v2024/search', body);
    assert.equal(answer.headers.get('warning'), null);
  });

  test('cannot bring a line of its own into the header', async () => {
    const body = query('x\\u000d\\u000aX\\-Evil\\u003a1é"\\":a OR n\u{1f600}me:"b"');
    const odd = query('a\\"b\\\\cé\\u000d\\u000aX:1');
    for (const one of [body, odd]) {
      const answer = await service.call('POST', '/v2024/search', one);
      assert.equal(answer.headers.get('x-evil'), null);
      assert.match(answer.headers.get('warning') ?? '', /^[ -~]*$/);
    }
    const value = (await service.call('POST', '/v2024/search', odd)).headers.get('warning');
    assert.equal(value, '299 - "No requested index has a field \\"a\\"b\\\\c???X\\""');
  });
});

test('a query text that is wrong is shown with its place, by search, count and explain alike', async () => {
  for (const path of ['', '/count', '/explain']) {
    const answer = await service.call(
      'POST',
      `/v2024/search${path}`,
      query('name:ada AND (city:x'),
    );
    assert.equal(answer.status, 400);
    const { causes } = (await answer.json()) as { causes: { text: string }[] };
    assert.deepEqual(
      causes.map(({ text }) => text),
      [
        'Query string, offset 20: unexpected end of the query, expected ) for the ( at offset 13',
        'name:ada AND (city:x\n                    ^',
      ],
    );
  }
});
