// Views over HTTP: administration, assignment, what each way to documents shows, and how soon changes take effect. What a view
// shows of a whole tenant is compared with a second tenant that holds only that.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addUser, type Party, tokenOf } from '../support/callers.ts';
import { addServedTenant, type RunningService, startService } from '../support/service.ts';

const VIEWS = '/admin/v1/views';
/** What the view of most tests shows: the two people of Sales, without phone and private attributes. */
const SALES = {
  name: 'sales',
  indices: { identities: 'attributes.department:Sales', roles: 'name:clerk', accessprofiles: '*' },
  hide: ['phone', 'attributes.salary', 'accounts.accountAttributes', 'email'],
};

type Json = Record<string, unknown>;

const people: readonly Json[] = [
  person('i-1', 'Ada Adams', 'Sales', { salary: 10, city: 'Graz' }),
  person('i-2', 'Adam Brown', 'Sales', { salary: 20, city: 'Linz' }),
  person('i-3', 'Eve Zadam', 'Payroll', { salary: 30, city: 'Wien', clearance: 'secret' }),
  person('i-4', 'Adaline Xu', 'Payroll', { salary: 40, city: 'Wels', clearance: 'top' }),
];

function person(id: string, name: string, department: string, attributes: Json): Json {
  return {
    ...{
      _type: 'identity',
      id,
      name,
      displayName: name,
      phone: `+43 ${id}`,
      email: `${id}@a.test`,
    },
    attributes: { department, ...attributes },
    accounts: [
      {
        id: `a-${id}`,
        name: `acc ${name}`,
        source: { id: 's-1', name: 'HR' },
        accountAttributes: { pin: `9${id.slice(2)}` },
      },
      { id: `b-${id}`, name, source: { id: `s-${id}`, name: `Own ${id}` } },
    ],
    access: [
      { id: 'r-1', type: 'ROLE', name: 'Clerk' },
      { id: 'r-2', type: 'ROLE', name: 'Boss' },
      { id: 'p-1', type: 'ACCESS_PROFILE', name: 'Profile' },
      { id: 'e-1', type: 'ENTITLEMENT', name: 'Right' },
    ],
  };
}

const others: readonly Json[] = [
  { _type: 'role', id: 'r-1', name: 'Clerk', accessProfiles: [{ id: 'p-1', name: 'Profile' }] },
  { _type: 'role', id: 'r-2', name: 'Boss', entitlements: [{ id: 'e-1', name: 'Right' }] },
  {
    _type: 'accessprofile',
    id: 'p-1',
    name: 'Profile',
    entitlements: [{ id: 'e-1', name: 'Right' }],
  },
  { _type: 'entitlement', id: 'e-1', name: 'Right', attribute: 'groups', value: 'right' },
];

/** What the view shows, as documents of their own. */
function visible(document: Json): Json | null {
  const { _type, id, phone: _, email: __, ...members } = document;
  if (_type === 'entitlement' || id === 'r-2') return null;
  if (_type !== 'identity') return document;
  const { salary: ___, ...attributes } = document['attributes'] as Json;
  if (attributes['department'] !== 'Sales') return null;
  const accounts = (document['accounts'] as Json[]).map(
    ({ accountAttributes: ____, ...one }) => one,
  );
  return { _type, id, ...members, attributes, accounts };
}

let service: RunningService;
let twin: RunningService;
/** An administrator whom the view restricts. */
let viewer: Party;

before(async () => {
  service = await startService();
  twin = await addServedTenant(service, 'twin');
  await service.addDocuments([...people, ...others]);
  await twin.addDocuments(
    [...people, ...others].flatMap((one): Json[] => {
      const shown = visible(one);
      return shown === null ? [] : [shown];
    }),
  );
  assert.equal((await service.call('POST', VIEWS, SALES)).status, 201);
  viewer = await restricted('sales');
});
after(() => service.stop());

/** An administrator of the service who is restricted to a view. */
async function restricted(view: string | null): Promise<Party> {
  const party = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
  const answer = await assign(party, view);
  assert.equal(answer.status, 200, await answer.text());
  return party;
}

function assign({ userId }: Party, view: string | null): Promise<Response> {
  return service.call('PATCH', `/admin/v1/auth-users/${userId}`, { view });
}

const search = async (party: Pick<Party, 'call'>, query: string, body: Json = {}) => {
  const request = { indices: ['identities'], query: { query }, sort: ['id'], ...body };
  const answer = await party.call('POST', '/v3/search', request);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Json[];
};
const idsOf = (documents: readonly Json[]) => documents.map(({ id }) => id);

describe('administration', () => {
  test('warns of visible fields that repeat the values of a hidden one', async () => {
    const body = { name: 'hints', indices: { identities: '*' }, hide: ['name'] };
    const created = await service.call('POST', VIEWS, body);
    assert.match(
      String(created.headers.get('warning')),
      /"name.{2,3} is hidden, but .{1,3}accounts\.name.{1,3}, .{1,3}displayName.{1,3} may have the same values/,
    );
    const hide = ['attributes.salary', 'phone'];
    const replaced = await service.call('PUT', `${VIEWS}/hints`, { ...body, hide });
    assert.equal(replaced.status, 200);
    assert.equal(replaced.headers.get('warning'), null);
    assert.equal((await service.call('DELETE', `${VIEWS}/hints`)).status, 204);
  });

  test('creates, lists, reads, replaces and deletes views, with events before and after', async () => {
    const body = { name: 'temp', description: 'd', indices: { roles: '*' } };
    const created = (await (await service.call('POST', VIEWS, body)).json()) as Json;
    assert.deepEqual(
      { ...created, created: 0, modified: 0 },
      { ...body, hide: [], created: 0, modified: 0 },
    );
    const listed = (await (await service.call('GET', VIEWS)).json()) as Json[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['sales', 'temp'],
    );
    const changed = { ...created, indices: { roles: 'name:x' } };
    assert.equal((await service.call('PUT', `${VIEWS}/temp`, changed)).status, 200);
    const read = (await (await service.call('GET', `${VIEWS}/temp`)).json()) as Json;
    assert.deepEqual(read['indices'], { roles: 'name:x' });
    assert.equal((await service.call('DELETE', `${VIEWS}/temp`)).status, 204);
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await service.call(method, `${VIEWS}/temp`)).status, 404, method);
    }
    assert.equal((await service.call('PUT', `${VIEWS}/temp`, changed)).status, 404);
    const { read: records } = service.cardea.store;
    await service.cardea.services.status.waitUntilSearchable(await records.lastSequence(), 60_000);
    const events = await search(service, 'target.name:temp', {
      indices: ['events'],
      sort: ['created', 'id'],
    });
    const told = events.map(({ operation, attributes }) => {
      const { before: was, after: is } = attributes as Json;
      return [operation, was ?? null, is ?? null];
    });
    const rules = (query: string) => JSON.stringify({ indices: { roles: query } });
    assert.deepEqual(told[1], ['MODIFY', rules('*'), rules('name:x')]);
    assert.deepEqual(
      told.map(([operation]) => operation),
      ['CREATE', 'MODIFY', 'DELETE'],
    );
  });

  const REFUSED: readonly (readonly [why: string, body: unknown, cause: RegExp])[] = [
    ['a name with blanks', { name: 'a b', indices: {} }, /name: 1 to 64/],
    ['no indices', { name: 'a' }, /indices: name the document types/],
    ['an unknown index', { name: 'a', indices: { users: '*' } }, /"users" is none of/],
    [
      'an unknown member',
      { name: 'a', indices: {}, hides: [] },
      /hides: a view has no such member/,
    ],
    [
      'a query that does not parse',
      { name: 'a', indices: { roles: 'a AND (' } },
      /indices.roles: /,
    ],
    ['a blank query', { name: 'a', indices: { roles: ' ' } }, /indices.roles: .*blank/],
    [
      'a misspelt field',
      { name: 'a', indices: { identities: 'NOT attributes.departmnt:x' } },
      /did you mean "attributes.department"/,
    ],
    ['a role path', { name: 'a', indices: { identities: '@access(via.role:x)' } }, /nor in a view/],
    ['a fuzzy word', { name: 'a', indices: { identities: 'NOT (name:adm~1)' } }, /fuzzy words/],
    [
      'a misspelt hidden field',
      { name: 'a', indices: { identities: '*' }, hide: ['phon'] },
      /did you mean "phone"/,
    ],
    [
      'a misspelt hidden attribute',
      { name: 'a', indices: { identities: '*' }, hide: ['attributes.salry'] },
      /did you mean "attributes.salary"/,
    ],
    [
      'a misspelt hidden account attribute',
      { name: 'a', indices: { identities: '*' }, hide: ['accounts.accountAttributes.Pin'] },
      /did you mean "accounts.accountAttributes.pin"/,
    ],
    ...['attributes.\\*:x', '@accounts(accounts.\\*:x)', '@accounts.\\*:x', 'dep\\*:(a b)'].map(
      (query): [string, unknown, RegExp] => [
        `a pattern of fields, ${query}`,
        { name: 'a', indices: { identities: query } },
        /indices.identities: a view may not use \*/,
      ],
    ),
    ...['_exists_:attributes.*', 'NOT _exists_:(name OR attrib*)'].map(
      (query): [string, unknown, RegExp] => [
        `a pattern of fields that exist, ${query}`,
        { name: 'a', indices: { identities: query } },
        /indices.identities: a view may not use \*/,
      ],
    ),
    ['the id', { name: 'a', indices: {}, hide: ['id'] }, /"id" cannot be hidden/],
    [
      'a pattern of hidden fields',
      { name: 'a', indices: {}, hide: ['attributes.*'] },
      /not the name of a field/,
    ],
    ['a taken name', { name: 'sales', indices: {} }, /another view called "sales"/],
    [
      'too much',
      { name: 'a', indices: {}, description: 'x'.repeat(33_000) },
      /at most 32768 bytes/,
    ],
  ];
  for (const [why, body, cause] of REFUSED) {
    test(`refuses ${why}`, async () => {
      const answer = await service.call('POST', VIEWS, body);
      assert.equal(answer.status, 400);
      const text = await answer.text();
      const { causes } = JSON.parse(text) as { causes: { text: string }[] };
      assert.match(causes.map(({ text }) => text).join('\n'), cause);
    });
  }

  test('hides attributes that no document has yet, and the parents of fields', async () => {
    const hide = ['attributes.shoeSize', 'attributes', 'accounts', 'accounts.accountAttributes'];
    const view = { name: 'early', indices: { identities: '* AND *:* AND name:*' }, hide };
    const created = await service.call('POST', VIEWS, view);
    assert.equal(created.status, 201, await created.clone().text());
    assert.deepEqual(((await created.json()) as Json)['hide'], hide);
    assert.equal((await service.call('DELETE', `${VIEWS}/early`)).status, 204);
  });

  test('a restricted user is not deleted before the view is ended, since tokens of others stay', async () => {
    const party = await restricted('sales');
    const remove = () => service.call('DELETE', `/admin/v1/auth-users/${party.userId}`);
    const refused = await remove();
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /the view \\"sales\\" would not restrict.*disable the user/);
    assert.equal((await party.call('GET', '/v3/search/identities/i-3')).status, 404);
    assert.equal((await assign(party, null)).status, 200);
    assert.equal((await remove()).status, 204);
  });

  test('a tenant has at most 64 views', async () => {
    const other = await addServedTenant(service, 'many');
    const create = (n: number) => other.call('POST', VIEWS, { name: `v${n}`, indices: {} });
    for (let n = 0; n < 64; n++) assert.equal((await create(n)).status, 201);
    const refused = await create(64);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /at most 64/);
  });

  test('views of another tenant do not exist', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const body = method === 'PUT' ? { indices: {} } : undefined;
      const [own, random] = await Promise.all(
        ['sales', 'random'].map(async (name) => {
          const answer = await twin.call(method, `${VIEWS}/${name}`, body);
          return [answer.status, (await answer.text()).replace(/"trackingId":"[^"]*"/, '')];
        }),
      );
      assert.deepEqual(own, random, method);
      assert.equal(own?.[0], 404);
    }
  });

  test('two administrators who restrict one another do not lock out everybody', async () => {
    const other = await addServedTenant(service, 'pair');
    const second = await addUser(other, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
    assert.equal((await other.call('POST', VIEWS, { name: 'v', indices: {} })).status, 201);
    const path = (id: string) => `/admin/v1/auth-users/${id}`;
    const answers = await Promise.all([
      other.call('PATCH', path(second.userId), { view: 'v' }),
      second.call('PATCH', path(other.adminId), { view: 'v' }),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.equal(statuses[0], 200);
    assert.ok(statuses[1] === 400 || statuses[1] === 403, String(statuses));
    const refused = await answers.find(({ status }) => status !== 200)?.text();
    assert.match(refused ?? '', /last administrator|not available through a view/);
  });

  test('nobody restricts themselves, or anybody to a view that does not exist', async () => {
    const self = await service.call('PATCH', `/admin/v1/auth-users/${service.adminId}`, {
      view: 'sales',
    });
    assert.equal(self.status, 400);
    assert.match(await self.text(), /another administrator must restrict you/);
    const unknown = await assign(viewer, 'no such');
    assert.equal(unknown.status, 400);
    assert.match(await unknown.text(), /no view called \\"no such\\"/);
  });
});

/** All but the events, of which the two tenants have their own. */
const DOCUMENTS = ['identities', 'roles', 'accessprofiles', 'entitlements'];

/** Requests of every kind, for the view and its twin. */
const QUESTIONS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ...[
    '*',
    'ada*',
    'name:adam~2',
    'Adaline',
    'z*dam',
    '/ada.*/',
    'name:[a TO b]',
    'attributes.department:Payroll',
    'attributes.clearance:secret',
    'attributes.clearence:secret',
    'NOT attributes.clearance:secret',
    '_exists_:attributes.clearance',
    'attributes.*:secret',
    '@accounts(source.name:HR)',
    '@accounts(source.name:"Own i-3")',
    '@access(via.role:Clerk AND type:ENTITLEMENT)',
    '@access(via.role:Boss AND type:ENTITLEMENT)',
    'Linz OR Wien',
    '43',
    'pin',
    '93',
    '93 OR 92 OR ada',
  ].flatMap((query): [string, string, unknown][] => {
    const body = { indices: ['identities', 'roles'], query: { query } };
    return [
      ['POST', '/v3/search?count=true', { ...body, sort: ['id'] }],
      ['POST', '/v3/search/count', body],
      [
        'POST',
        '/v3/search/rows?count=true',
        { ...body, indices: ['identities'], columns: ['id', 'name'] },
      ],
      [
        'POST',
        '/v3/search/rows?count=true',
        { ...body, indices: ['identities'], rows: 'accounts', columns: ['name', '@accounts.name'] },
      ],
    ];
  }),
  ...['name', 'attributes.city', 'accounts.name', 'access.name'].map(
    (field): [string, string, unknown] => [
      'POST',
      '/v3/search?count=true',
      {
        indices: ['identities'],
        queryType: 'TYPEAHEAD',
        typeAheadQuery: { query: 'a', field, size: 9 },
      },
    ],
  ),
  [
    'POST',
    '/v3/search',
    { query: { query: '*' }, sort: ['attributes.clearance', 'id'], indices: ['identities'] },
  ],
  ['POST', '/v3/search', { query: { query: '*' }, sort: ['id'], indices: DOCUMENTS }],
  [
    'POST',
    '/v3/search',
    { query: { query: 'ada*' }, sort: ['id'], searchAfter: ['i-1'], indices: ['identities'] },
  ],
  [
    'POST',
    '/v3/search',
    {
      indices: DOCUMENTS,
      query: { query: '*' },
      sort: ['id'],
      queryResultFilter: { includes: ['id', 'attributes'] },
    },
  ],
  [
    'POST',
    '/v3/search',
    { indices: ['identities'], query: { query: '*' }, sort: ['id'], accessPaths: true },
  ],
  [
    'POST',
    '/v3/search/identities',
    { queryType: 'DSL', queryDsl: { fuzzy: { name: 'adma' } }, sort: ['id'] },
  ],
  [
    'POST',
    '/v3/search/identities',
    { queryType: 'DSL', queryDsl: { match_phrase_prefix: { name: 'ada' } }, sort: ['id'] },
  ],
  [
    'POST',
    '/v3/search/identities',
    { queryType: 'TEXT', textQuery: { terms: ['ada'], fields: ['name'] }, sort: ['id'] },
  ],
  [
    'POST',
    '/v3/search/identities',
    { queryType: 'TEXT', textQuery: { terms: ['ada wien'], fields: ['*'] }, sort: ['id'] },
  ],
  ...[0, 1].map((min_doc_count): [string, string, unknown] => [
    'POST',
    '/v3/search/aggregate',
    {
      indices: ['identities'],
      query: { query: 'Brown' },
      aggregationsDsl: {
        departments: { terms: { field: 'attributes.department', min_doc_count } },
        clearances: { terms: { field: 'attributes.clearance', min_doc_count } },
        all: { global: {}, aggs: { cities: { terms: { field: 'attributes.city' } } } },
        hits: { top_hits: { sort: ['id'] } },
        none: { missing: { field: 'attributes.clearance' } },
        sources: {
          nested: { path: 'accounts' },
          aggs: { names: { terms: { field: 'accounts.source.name', min_doc_count } } },
        },
      },
    },
  ]),
  ...['i-1', 'i-3', 'nobody'].flatMap((id): [string, string][] => [
    ['GET', `/v3/search/identities/${id}`],
    ['GET', `/v3/identities/${id}`],
    ['GET', `/admin/v1/identities/${id}/access-paths`],
    ['GET', `/v3/accounts/a-${id}`],
    ['GET', `/v3/accounts/a-${id}/entitlements`],
  ]),
  ...['r-1', 'r-2', 'r-9'].flatMap((id): [string, string][] => [
    ['GET', `/v3/search/roles/${id}`],
    ['GET', `/v3/roles/${id}`],
    ['GET', `/v3/roles/${id}/entitlements`],
    ['GET', `/v3/roles/${id}/assigned-identities`],
  ]),
  ...[
    'accounts',
    'identities',
    'public-identities',
    'roles',
    'access-profiles',
    'entitlements',
    'sources',
  ].map((list): [string, string] => ['GET', `/v3/${list}?count=true`]),
  ['GET', '/v3/accounts?filters=name sw "acc A"&sorters=-name&count=true'],
  ['GET', '/v3/accounts?filters=identity.name eq "Eve Zadam" or name eq "Adaline Xu"&count=true'],
  ['GET', '/v3/sources/s-i-3'],
  ['GET', '/v3/sources/s-i-1'],
];

test('through a view everything answers as a tenant that holds only what it shows', async () => {
  let compared = 0;
  for (const [method, path, body] of QUESTIONS) {
    const [actual, expected] = await Promise.all(
      [viewer, twin].map(async (party) => {
        const answer = await party.call(method, path, body);
        const text = (await answer.text())
          .replace(/"trackingId":"[^"]*"/, '')
          .replaceAll(/"(synced|modified|created)":"[^"]*"/g, '"time"')
          .replaceAll('"org":"test"', '"org":"twin"');
        const headers = ['x-total-count', 'warning', 'content-type'].map((name) =>
          answer.headers.get(name),
        );
        return { status: answer.status, headers, text };
      }),
    );
    assert.deepEqual(actual, expected, `${method} ${path} ${JSON.stringify(body)}`);
    compared += 1;
  }
  assert.equal(compared, QUESTIONS.length);
});

test('names of hidden fields are unknown, without a suggestion', async () => {
  for (const [hidden, random] of [
    ['phone', 'phqne'],
    ['email', 'emqil'],
    ['attributes.salary', 'attributes.sqlqry'],
  ] as const) {
    const answers = await Promise.all(
      [hidden, random].flatMap((name) =>
        [
          { query: { query: `${name}:1` }, sort: ['id'] },
          { query: { query: `_exists_:${name}` }, sort: ['id'] },
          { query: { query: '*' }, sort: [name] },
          { query: { query: 'ada', fields: [name] }, sort: ['id'] },
        ].map(async (body) => {
          const answer = await viewer.call('POST', '/v3/search', {
            indices: ['identities'],
            ...body,
          });
          const told = `${answer.status} ${answer.headers.get('warning')} ${await answer.text()}`;
          return told.replace(/"trackingId":"[^"]*"/, '').replaceAll(name, 'NAME');
        }),
      ),
    );
    assert.deepEqual(answers.slice(0, 4), answers.slice(4), hidden);
  }
  for (const value of ['+43', '9i', 'a.test', 'salary', '"pin"']) {
    const all = await viewer.call('POST', '/v3/search', { query: { query: '*' }, sort: ['id'] });
    assert.ok(!(await all.text()).includes(value), value);
  }
});

test('words that expand need a field where fields are hidden', async () => {
  for (const [body, cause] of [
    [{ query: { query: 'adam~2' } }, /Fuzzy words need a field/],
    [
      { queryType: 'DSL', queryDsl: { multi_match: { query: 'ada a', type: 'phrase_prefix' } } },
      /Phrases that end with a prefix need a field/,
    ],
  ] as const) {
    const answer = await viewer.call('POST', '/v3/search/identities', { ...body, sort: ['id'] });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), cause);
  }
});

test('explanations tell of a hidden document what they tell of none', async () => {
  const explain = async (id: string) => {
    const body = { indices: ['identities'], query: { query: 'name:zadam' } };
    const answer = await viewer.call('POST', `/v3/search/explain?id=${id}`, body);
    return `${answer.status} ${(await answer.text()).replace(/"trackingId":"[^"]*"/, '').replaceAll(id, 'ID')}`;
  };
  assert.equal(await explain('i-3'), await explain('i-9'));
  assert.match(await explain('i-3'), /^404 /);
  const shown = await viewer.call('POST', '/v3/search/explain?id=i-1', {
    indices: ['identities'],
    query: { query: 'ada' },
  });
  const text = await shown.text();
  assert.equal(shown.status, 200);
  assert.doesNotMatch(text, /Sales|phone|salary|email/);
});

describe('credentials', () => {
  const made = async (path: string, body: Json) => {
    const answer = await service.call('POST', path, { name: JSON.stringify(body), ...body });
    assert.equal(answer.status, 200, await answer.clone().text());
    const { id, secret, view } = (await answer.json()) as Record<string, string>;
    assert.equal(view, body['view']);
    const token = await tokenOf(service.url, {
      clientId: String(id),
      clientSecret: String(secret),
    });
    return (body_: unknown) =>
      fetch(`${service.url}/v3/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body_),
      });
  };
  const ALL = { indices: ['identities', 'roles'], query: { query: '*' }, sort: ['id'] };

  test('a personal access token and an API client see their view', async () => {
    for (const path of ['/v3/personal-access-tokens', '/v3/oauth-clients']) {
      const ask = await made(path, { view: 'sales', scope: ['sp:scopes:all'] });
      assert.deepEqual(
        idsOf((await (await ask(ALL)).json()) as Json[]),
        ['i-1', 'i-2', 'r-1'],
        path,
      );
      const refused = await service.call('POST', path, { name: 'x', view: 'no such' });
      assert.equal(refused.status, 400, path);
      assert.match(await refused.text(), /no view called/);
    }
  });

  test('a refreshed token of a client sees its view, too', async () => {
    const body = { name: 'r', view: 'sales', grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'] };
    const created = (await (
      await service.call('POST', '/v3/oauth-clients', body)
    ).json()) as Record<string, string>;
    const client = { client_id: String(created['id']), client_secret: String(created['secret']) };
    const issue = async (grant: Record<string, string>) => {
      const request = { method: 'POST', body: new URLSearchParams({ ...client, ...grant }) };
      return (await (await fetch(`${service.url}/oauth/token`, request)).json()) as Record<
        string,
        string
      >;
    };
    const { refresh_token } = await issue({ grant_type: 'client_credentials' });
    const { access_token } = await issue({
      grant_type: 'refresh_token',
      refresh_token: String(refresh_token),
    });
    const answer = await fetch(`${service.url}/v3/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(ALL),
    });
    assert.deepEqual(idsOf((await answer.json()) as Json[]), ['i-1', 'i-2', 'r-1']);
  });

  test('with several views in force, only what all of them show is visible', async () => {
    const boss = {
      name: 'graz',
      indices: { identities: 'attributes.city:Graz OR attributes.city:Wien' },
      hide: ['accounts'],
    };
    assert.equal((await service.call('POST', VIEWS, boss)).status, 201);
    const party = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
    const body = { name: 'narrow', view: 'graz', scope: ['sp:scopes:all'] };
    const created = (await (
      await party.call('POST', '/v3/personal-access-tokens', body)
    ).json()) as Record<string, string>;
    await assign(party, 'sales');
    const token = await tokenOf(service.url, {
      clientId: String(created['id']),
      clientSecret: String(created['secret']),
    });
    const answer = await fetch(`${service.url}/v3/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(ALL),
    });
    const [only, ...rest] = (await answer.json()) as Json[];
    assert.deepEqual(rest, []);
    assert.equal(only?.['id'], 'i-1');
    for (const member of ['accounts', 'phone', 'email'])
      assert.ok(!(member in (only ?? {})), member);
  });

  test('what a restricted user created before ends at the view, too', async () => {
    const party = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
    const answer = await party.call('POST', '/v3/oauth-clients', { name: 'child' });
    const created = (await answer.json()) as Record<string, string>;
    const key = (await (
      await party.call('POST', '/admin/v1/api-keys', { name: 'k' })
    ).json()) as Record<string, string>;
    await assign(party, 'sales');
    const token = await tokenOf(service.url, {
      clientId: String(created['id']),
      clientSecret: String(created['secret']),
    });
    const found = await fetch(`${service.url}/v3/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(ALL),
    });
    assert.deepEqual(idsOf((await found.json()) as Json[]), ['i-1', 'i-2', 'r-1']);
    const profiles = await fetch(`${service.url}/api/profiles`, {
      headers: { authorization: `Token token=${key['apiKey']}` },
    });
    assert.equal(profiles.status, 403, await profiles.text());
  });

  test('userinfo names the views, and those of others are as before', async () => {
    const own = (await (await viewer.call('GET', '/oauth/userinfo')).json()) as Json;
    assert.deepEqual(own['views'], ['sales']);
    const admin = (await (await service.call('GET', '/oauth/userinfo')).json()) as Json;
    assert.ok(!('views' in admin));
  });
});

describe('changes', () => {
  test('take effect with the next request, and a view that is deleted shows nothing', async () => {
    const view = { name: 'moving', indices: { identities: 'attributes.department:Sales' } };
    const change = (indices: Json) => service.call('PUT', `${VIEWS}/moving`, { indices });
    assert.equal((await service.call('POST', VIEWS, view)).status, 201);
    const party = await restricted('moving');
    const seen = async () => idsOf(await search(party, '*', { indices: ['identities', 'roles'] }));
    assert.deepEqual(await seen(), ['i-1', 'i-2']);
    await change({ identities: 'attributes.city:Linz' });
    assert.deepEqual(await seen(), ['i-2']);
    await change({ roles: '*' });
    assert.deepEqual(await seen(), ['r-1', 'r-2']);
    await service.call('DELETE', `${VIEWS}/moving`);
    assert.deepEqual(await seen(), []);
    assert.equal((await party.call('GET', '/v3/search/roles/r-1')).status, 404);
    await assign(party, null);
    assert.equal((await seen()).length, 6);
  });

  test('end streams of rows that began before', async () => {
    const many = Array.from({ length: 400 }, (_, n) => person(`m-${n}`, `Many ${n}`, 'Many', {}));
    await service.addDocuments(many);
    const indices = { identities: 'attributes.department:Many' };
    const { search: cases } = service.cardea.services;
    const [free, maker] = [await restricted(null), await restricted(null)];
    const made = await maker.call('POST', '/v3/oauth-clients', { name: 'child' });
    const { id, secret } = (await made.json()) as Record<string, string>;
    const child = { clientId: String(id), clientSecret: String(secret) };
    const STREAMS: readonly (readonly [
      why: string,
      reader: Pick<Party, 'clientId' | 'clientSecret'> | null,
      change: (reader: Party) => Promise<Response>,
    ])[] = [
      ['narrowed', null, () => service.call('PUT', `${VIEWS}/stream`, { indices: {} })],
      ['deleted', null, () => service.call('DELETE', `${VIEWS}/stream`)],
      ['assigned', free, () => assign(free, 'sales')],
      ['exchanged', null, (reader) => assign(reader, 'sales')],
      ['assigned to its maker', child, () => assign(maker, 'sales')],
    ];
    for (const [why, credentials, change] of STREAMS) {
      await service.call('DELETE', `${VIEWS}/stream`);
      assert.equal((await service.call('POST', VIEWS, { name: 'stream', indices })).status, 201);
      const bound = await restricted('stream');
      const token = await tokenOf(service.url, credentials ?? bound);
      const reader = await service.cardea.services.tokens.verify(`Bearer ${token}`);
      const body = { indices: ['identities'], query: { query: '*' }, columns: ['id'] };
      const { chunks } = await cases.rows(reader, body, {}, 'ndjson');
      assert.ok((await chunks.next()).value?.rows > 0, why);
      assert.ok((await change(bound)).ok, why);
      await assert.rejects(
        async () => {
          for await (const _ of chunks);
        },
        { code: 'forbidden', message: /What you may see has changed/ },
        why,
      );
    }
  });
});
