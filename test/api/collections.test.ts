// The conventions of the collections of profile management over HTTP (docs/profiles.md): pages, orders, filters, metadata,
// what is refused and what is ignored. All collections share one implementation, so most cases ask one of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { FilterRule } from '../../src/service/ports/collection.ts';
import { PROFILES } from '../../src/service/profiles/profile-cases.ts';
import { descriptors } from '../../src/service/profiles/resources/descriptors.ts';
import { wireName } from '../../src/service/profiles/resources/wire-names.ts';
import { ADVANCED_SEARCHES } from '../../src/service/profiles/rules/advanced-searches.ts';
import { type Call, caller, withApiKey } from '../support/api-key.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;
let key: string;

/** Names in the order they are made; logins are the place. */
const NAMES = ['cleo', 'Abe', 'bea', 'abe', 'Öz', 'dan', 'eve'];
const TITLES = [null, 'Lead', 'lead', null, 'Chief', null, 'Aide'];

before(async () => {
  service = await startService();
  ({ call, key } = await withApiKey(service));
  for (const [n, name] of NAMES.entries()) {
    const user = { name, title: TITLES[n], email: `${n}@acme.test`, type: 'NeprofileUser' };
    const status = n === 3 ? 'Disabled' : 'Active';
    const sent = { ...user, status, login: `l${n}`, uid: `u${n}` };
    assert.equal((await call('POST', '/api/user', { user: sent })).status, 200);
  }
});
after(() => service.stop());

/** The logins of a list, as one text. */
const logins = (users: readonly { login: string }[]) =>
  users.map(({ login }) => login.slice(1)).join('');

/** How many there are, or which where the order does not tell. */
const LISTS: readonly [query: string, expected: number | string][] = [
  ['', 7],
  ['?', 7],
  ['?limit=3', 3],
  ['?limit=3&offset=5', 2],
  ['?offset=1&limit=1000', 6],
  ['?offset=7', 0],
  ['?offset=9007199254740991', 0],
  ['?limit=1&limit=2', 2],
  ['?offset=0&offset=1&offset=6', 1],
  ['?query[limit]=2', 2],
  ['?query%5Blimit%5D=2&query%5Boffset%5D=6', 1],
  ['?limit=1&query[limit]=2', 1],
  ['?query[limit]=2&limit=1', 1],
  ['?query[order]=login&query[limit]=3&query[offset]=2', '234'],
  ['?query[status]=Disabled', '3'],
  ['?query[user_status]=Disabled', '3'],
  ['?query[uid]=u4&query[metadata]=False', '4'],
  ['?status=Active&query[status]=Disabled&name=abe', '1'],
  ['?uid=u3', '3'],
  ['?uid=U3', ''],
  ['?uid=u9', ''],
  ['?id=u3', '3'],
  ['?id=none', ''],
  ['?uid=u3&status=Active', ''],
  ['?uid=u3&status=Disabled&order=name', '3'],
  ['?created_at=2020-01-01', ''],
  ['?updated_at=2020-01-01T00:00:00.000Z', ''],
  ['?group_strings=none', ''],
  ['?metadata=False&login=l5', '5'],
  ['?order=login', '0123456'],
  ['?order=login&limit=3&offset=2', '234'],
  ['?order=uid&offset=5', '56'],
  ['?order=email&metadata=false', '0123456'],
  ['?order=name&order=login&metadata=0', '0123456'],
  ['?order=login&name=abe', '13'],
  ['?name=ABE&status=Active', '1'],
  ['?name=%C3%B6z', '4'],
  ['?name=ab', ''],
  ['?name=', 7],
  ['?order=login&title=lead', '12'],
  ['?status=Disabled', '3'],
  ['?status=disabled', '3'],
  ['?status=Active&status=Disabled', '3'],
  ['?email=2@ACME.test', '2'],
  ['?login=L2', '2'],
  ['?type=NeaccessUser', ''],
  ['?sailpoint_identity_id=none', ''],
  ['?force_backend=1&colour=blue', 7],
  ['?user_status=Disabled', '3'],
  ['?user_status=disabled&status=Disabled', '3'],
  ['?user_status=Disabled&status=', '3'],
  ['?user_status=', 7],
  ['?__proto__=1&constructor=2', 7],
  ['?name=%25', ''],
  ["?name=x'%20or%201=1--", ''],
];
for (const [query, expected] of LISTS) {
  test(`users${query} is an array of ${expected === '' ? 'nobody' : expected}`, async () => {
    const { status, body } = await call('GET', `/api/users${query}`);
    assert.equal(status, 200);
    assert.ok(Array.isArray(body));
    assert.equal(typeof expected === 'number' ? body.length : logins(body), expected);
  });
}

test('an order ignores case, puts missing values last and breaks ties by id', async () => {
  const byName = (await call('GET', '/api/users?order=name')).body as {
    name: string;
    id: string;
  }[];
  assert.deepEqual(
    byName.map(({ name }) => name.toLowerCase()),
    ['abe', 'abe', 'bea', 'cleo', 'dan', 'eve', 'öz'],
  );
  assert.ok((byName[0]?.id ?? '') < (byName[1]?.id ?? ''));
  const byTitle = (await call('GET', '/api/users?order=title')).body as { title: string | null }[];
  assert.deepEqual(
    byTitle.map(({ title }) => title?.toLowerCase() ?? null),
    ['aide', 'chief', 'lead', 'lead', null, null, null],
  );
});

const REFUSED: readonly [query: string, error: string][] = [
  ['limit=0', 'limit must be an integer from 1 to 1000'],
  ['limit=-1', 'limit must be an integer from 1 to 1000'],
  ['limit=1001', 'limit must be an integer from 1 to 1000'],
  ['limit=abc', 'limit must be an integer from 1 to 1000'],
  ['limit=1.5', 'limit must be an integer from 1 to 1000'],
  ['limit=1e2', 'limit must be an integer from 1 to 1000'],
  ['limit=', 'limit must be an integer from 1 to 1000'],
  ['limit=5&limit=x', 'limit must be an integer from 1 to 1000'],
  ['query[limit]=0', 'limit must be an integer from 1 to 1000'],
  ['offset=-1', 'offset must be an integer from 0 on'],
  ['offset=one', 'offset must be an integer from 0 on'],
  ['offset=99999999999999999999', 'offset must be an integer from 0 on'],
  ['query[order]=nothing', 'order must be one of id, uid, name,'],
  ['query[status]=Gone', 'status must be one of Active, Pending, Disabled'],
  ['created_at=yesterday', 'created_at must be a date (yyyy-mm-dd) or an ISO 8601 date-time'],
  ['metadata=yes', 'metadata must be true or false'],
  ['metadata=', 'metadata must be true or false'],
  ['status=Gone', 'status must be one of Active, Pending, Disabled'],
  ['user_status=Gone', 'user_status must be one of Active, Pending, Disabled'],
  ['status=Active&user_status=Disabled', 'user_status contradicts status; send one of them'],
  ['order=-name', 'order must be one of id, uid, name, login, email, title, status, type,'],
  ['order=name%20desc', 'order must be one of id, uid, name,'],
  ['order=password', 'order must be one of id, uid, name,'],
  ['order=createdAt', 'order must be one of id, uid, name,'],
];
for (const [query, error] of REFUSED) {
  test(`users?${query} is refused: ${error}`, async () => {
    const { status, body } = await call('GET', `/api/users?${query}`);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body), ['error']);
    assert.ok(body.error.startsWith(error), body.error);
  });
}

const BROKEN = ['users?name=%zz', 'users?name=%ff', 'users/%00', 'users?name=a%0d%0ab', 'users/%'];
for (const path of BROKEN) {
  test(`${path} is refused in the words of this area`, async () => {
    const { status, body } = await call('GET', `/api/${path}`);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body), ['error']);
  });
}

test('metadata tells the total and where the next and previous pages are', async () => {
  const path = '/api/users?limit=2&metadata=true&order=login&status=Active&note=a%26b';
  const { body } = await call('GET', path);
  assert.deepEqual(Object.keys(body), ['users', '_metadata']);
  assert.deepEqual(body._metadata, {
    ...{ limit: 2, offset: 0, total: 6 },
    next: '/api/users?offset=2&limit=2&metadata=true&order=login&status=Active&note=a%26b',
    previous: '',
  });
  const second = (await call('GET', body._metadata.next)).body;
  assert.equal(logins(second.users), '24');
  assert.match(second._metadata.previous, /^\/api\/users\?offset=0&limit=2&metadata=true/);
  const third = (await call('GET', second._metadata.next)).body;
  assert.deepEqual([logins(third.users), third._metadata.next], ['56', '']);
  const beyond = (await call('GET', '/api/users?offset=40&limit=5&metadata=1')).body;
  assert.deepEqual([beyond.users.length, beyond._metadata.total], [0, 7]);
  assert.deepEqual([beyond._metadata.next, beyond._metadata.offset], ['', 40]);
  assert.match(beyond._metadata.previous, /offset=35/);
});

test('the alias has links of its own', async () => {
  const { body } = await call('GET', '/api/v1/users?limit=1&metadata=true');
  assert.equal(body._metadata.next, '/api/v1/users?offset=1&limit=1&metadata=true');
});

test('a base address that ends in a slash is no other path', async () => {
  const { status, body } = await call('GET', '/api//users?limit=1');
  assert.equal(status, 200);
  assert.equal(body.length, 1);
});

const COLLECTIONS = [
  ...['profile_types', 'ne_attributes', 'ne_attribute_options', 'users', 'roles', 'user_roles'],
  ...['role_profiles', 'user_profiles', 'user_managers', 'risk_levels', 'risk_scores'],
];
for (const name of COLLECTIONS) {
  test(`${name} is an array, keyed with metadata, and 404 for one that is not there`, async () => {
    const list = await call('GET', `/api/${name}`);
    assert.ok(list.status === 200 && Array.isArray(list.body));
    assert.equal(list.headers.get('x-total-count'), null);
    const keyed = await call('GET', `/api/${name}?metadata=true&limit=1000`);
    assert.ok(Array.isArray(keyed.body[name]));
    assert.equal(keyed.body._metadata.total, keyed.body[name].length);
    const lost = await call('GET', `/api/${name}/nothing`);
    assert.equal(lost.status, 404);
    assert.match(lost.body.error, /^The requested ([A-Z][a-z]+ ?)+ was not found$/);
    const wrong = await call('PUT', `/api/${name}/nothing`);
    assert.equal(wrong.status, 405);
    assert.match(wrong.headers.get('allow') ?? '', /GET/);
    assert.deepEqual(Object.keys(wrong.body), ['error']);
  });
}

/** A value that the filter takes; no record has it, unless it is one of few words. */
function sampleOf(rule: FilterRule): string {
  if (rule.type === 'word') return rule.words[0] ?? '';
  if (rule.type === 'time') return '2020-01-01';
  if (rule.type === 'number') return '-12.5';
  return rule.type === 'flag' ? 'true' : 'nothing';
}

const DESCRIBED = Object.values(descriptors).map(({ collection }) => collection);
for (const { key, filters, orders } of [PROFILES, ADVANCED_SEARCHES, ...DESCRIBED]) {
  test(`${key} takes each of its orders and filters`, async () => {
    const queries = [
      ...orders.map((member) => `order=${wireName(member)}`),
      ...Object.entries(filters)
        .filter(([member, { type }]) => type !== 'none' && member !== 'order')
        .map(([member, rule]) => `${wireName(member)}=${sampleOf(rule)}`),
    ];
    for (const query of queries) {
      for (const sent of [query, query.replace(/^\w+/, 'query[$&]')]) {
        const { status, headers } = await call('GET', `/api/${key}?${sent}`);
        assert.deepEqual([status, headers.get('warning')], [200, null], sent);
      }
    }
  });

  test(`${key} refuses its attributes that are no single value as filters`, async () => {
    for (const [member, { type }] of Object.entries(filters)) {
      if (type !== 'none') continue;
      const name = wireName(member);
      const { status, body } = await call('GET', `/api/${key}?${name}=x`);
      const error = `${name} cannot be a filter, as its value is no text, number or flag`;
      assert.deepEqual([status, body], [400, { error }]);
    }
  });
}

/** Records by the path that makes one and its wrapper; references are uids. */
const RECORDS: readonly [path: string, wrapper: string, record: object][] = [
  ['profile_type', 'profile_type', { uid: 'staff', name: 'Staff' }],
  ['profile_type', 'profile_type', { uid: 'guest', name: 'Guest', archived: true }],
  [
    ...(['ne_attributes', 'ne_attribute'] as const),
    { uid: 'city', label: 'City', data_type: 'drop-down', profile_type_id: 'staff' },
  ],
  [
    ...(['ne_attributes', 'ne_attribute'] as const),
    { uid: 'start', label: 'Start', data_type: 'date', archived: true },
  ],
  [
    ...(['ne_attribute_option', 'ne_attribute_option'] as const),
    { uid: 'oslo', ne_attribute_id: 'city', option: 'Oslo' },
  ],
  ['role', 'role', { uid: 'sponsors', name: 'Sponsors' }],
  ['role', 'role', { uid: 'owners', name: 'Owners', type: 'NeaccessRole' }],
  ['user_role', 'user_role', { uid: 'member', user_id: 'u0', role_id: 'sponsors' }],
  ['user_manager', 'user_manager', { uid: 'report', user_id: 'u0', manager_id: 'u1' }],
  [
    ...(['profile', 'profile'] as const),
    { uid: 'ada', name: 'Ada', profile_type_id: 'staff', status: 'Active' },
  ],
  ['role_profile', 'role_profile', { uid: 'group', role_id: 'sponsors', profile_id: 'ada' }],
  [
    ...(['user_profile', 'user_profile'] as const),
    {
      ...{ uid: 'owned', user_id: 'u0', profile_id: 'ada', ne_attribute_id: 'city' },
      relationship_type: 'owner',
    },
  ],
];

/** A list with a filter, and the uids that it has. */
const FILTERED: readonly [query: string, uids: string][] = [
  ['profile_types?name=STAFF', 'staff'],
  ['profile_types?archived=true', 'guest'],
  ['profile_types?archived=0', 'staff'],
  ['profile_types?bypass_dup_protection=true', ''],
  ['profile_types?category=employee', ''],
  ['profile_types?uid=staff', 'staff'],
  ['ne_attributes?type=dateattribute', 'start'],
  ['ne_attributes?crypt=false&uid=city', 'city'],
  ['ne_attribute_options?option=OSLO', 'oslo'],
  ['roles?archived=false&uid=owners', 'owners'],
  ['roles?groups=%5B%5D', ''],
  ['user_roles?id=member', 'member'],
  ['user_managers?uid=none', ''],
  ['ne_attributes?label=city', 'city'],
  ['ne_attributes?data_type=Date', 'start'],
  ['ne_attributes?profile_type_id=staff', 'city'],
  ['ne_attributes?profile_type_id=guest', ''],
  ['ne_attributes?archived=1', 'start'],
  ['ne_attribute_options?ne_attribute_id=city', 'oslo'],
  ['ne_attribute_options?ne_attribute_id=start', ''],
  ['roles?name=owners', 'owners'],
  ['roles?type=NeprofileRole', 'sponsors'],
  ['roles?type=idproxyrole', ''],
  ['user_roles?user_id=u0&role_id=sponsors', 'member'],
  ['user_roles?user_id=u1', ''],
  ['user_roles?role_id=owners', ''],
  ['role_profiles?role_id=sponsors&profile_id=ada', 'group'],
  ['role_profiles?role_id=owners', ''],
  ['role_profiles?profile_id=bea', ''],
  ['user_profiles?user_id=u0&profile_id=ada', 'owned'],
  ['user_profiles?user_id=u1', ''],
  ['user_profiles?ne_attribute_id=city', 'owned'],
  ['user_profiles?ne_attribute_id=start', ''],
  ['user_profiles?relationship_type=Owner', 'owned'],
  ['user_profiles?relationship_type=contributor', ''],
  ['user_managers?user_id=u0&manager_id=u1', 'report'],
  ['user_managers?user_id=u1', ''],
  ['user_managers?manager_id=u0', ''],
];

test('each filter narrows its list, and names other records by their uids', async () => {
  for (const [path, wrapper, record] of RECORDS) {
    const { status, body } = await call('POST', `/api/${path}`, { [wrapper]: record });
    assert.ok(status < 300, JSON.stringify(body));
  }
  for (const [query, expected] of FILTERED) {
    const { body } = await call('GET', `/api/${query}`);
    const uids = body.map(({ uid }: { uid: string }) => uid).join(' ');
    assert.equal(uids, expected, query);
  }
});

const RUNS = ['GET advanced_search', 'POST advanced_search/run', 'GET advanced_search/kept/run'];
for (const route of [...['profiles', ...COLLECTIONS].map((name) => `GET ${name}`), ...RUNS]) {
  test(`${route} names unknown parameters in a Warning header, and answers 200`, async () => {
    const [method = '', path = ''] = route.split(' ');
    const search = { uid: 'kept', label: 'kept', condition_rules_attributes: [] };
    if (path.includes('kept')) {
      await call('POST', '/api/advanced_search', { advanced_search: search });
    }
    const at = path.includes('kept') ? `advanced_search/${await keptId()}/run` : path;
    const body = method === 'POST' ? { advanced_search: search } : undefined;
    const plain = await call(method, `/api/${at}?limit=5&query[offset]=0&metadata=true`, body);
    assert.deepEqual([plain.status, plain.headers.get('warning')], [200, null]);
    const warned = await call(method, `/api/${at}?limit=5&colour=blue&metadata=true`, body);
    assert.equal(warned.status, 200);
    assert.match(
      warned.headers.get('warning') ?? '',
      /^299 cardea "Ignored unknown parameters \\"colour\\"; known are limit, offset, order, metadata\b.*"$/,
    );
    const key = Object.keys(plain.body)[0] ?? '';
    assert.deepEqual(warned.body[key], plain.body[key]);
  });
}

async function keptId(): Promise<string> {
  return (await call('GET', '/api/advanced_search')).body.advanced_search[0].id;
}

const UNKNOWN: readonly [query: string, warning: RegExp][] = [
  ['userstatus=Disabled', /"userstatus\\"; known are .*\bstatus\b.*\buser_status\b/],
  ['query[colour]=blue', /"colour\\"; known are limit, offset, order, metadata, id, uid, name,/],
  ['a=1&b=2&limit=1&c=3', /"a\\", \\"b\\", \\"c\\";/],
  ['a=1&b=2&c=3&d=4&e=5&f=6&g=7', /"e\\" and 2 more;/],
  ['a=1&a=2', /parameters \\"a\\";/],
  [encodeURIComponent('"\\é€😀'), /\\"\\"\\\\\?{4}\\";/],
  [`${'x'.repeat(500)}=1`, /"x{60}\.\.\.\\";/],
  [
    Array.from({ length: 9 }, (_, n) => `${'"'.repeat(70)}${n}=1`).join('&'),
    /and 4 more; known are .*sailpoint_identity_id/,
  ],
  ['__proto__=1&constructor=2', /"__proto__\\", \\"constructor\\";/],
];
for (const [query, warning] of UNKNOWN) {
  test(`users?${query.slice(0, 60)} warns of what it ignores in a bounded value`, async () => {
    const { status, headers } = await call('GET', `/api/users?${query}`);
    const value = headers.get('warning') ?? '';
    assert.equal(status, 200);
    assert.match(value, warning);
    assert.match(value, /^299 cardea "[ -~]+"$/);
    assert.ok(value.length <= 1_000, String(value.length));
  });
}

test('a collection that is keyed by setting has no metadata unless asked for', async () => {
  const keyed = await startService({ CARDEA_COLLECTION_ENVELOPE: 'keyed' });
  try {
    const other = await withApiKey(keyed);
    const role = { name: 'One', uid: 'one' };
    assert.equal((await other.call('POST', '/api/role', { role })).status, 200);
    const { body } = await other.call('GET', '/api/roles?metadata=true');
    assert.deepEqual(Object.keys(body), ['roles', '_metadata']);
    assert.deepEqual(Object.keys((await other.call('GET', '/api/roles?limit=1')).body), ['roles']);
  } finally {
    await keyed.stop();
  }
});

test('an empty page of a collection that is keyed by setting is the error on which pagers end', async () => {
  const keyed = await startService({ CARDEA_COLLECTION_ENVELOPE: 'keyed' });
  try {
    const other = await withApiKey(keyed);
    for (const name of ['profiles', ...COLLECTIONS]) {
      for (const query of ['', '?metadata=true', '?offset=100&limit=100', '?uid=nobody']) {
        const { status, body } = await other.call('GET', `/api/${name}${query}`);
        const error = `no ${name.replaceAll('_', ' ')} found`;
        assert.deepEqual([status, body], [400, { error }], `${name}${query}`);
      }
    }
    const byId = await other.call('GET', '/api/profiles?after_id=&metadata=true');
    assert.deepEqual([byId.status, byId.body.profiles], [200, []]);
    const searches = await other.call('GET', '/api/advanced_search');
    assert.deepEqual([searches.status, searches.body], [200, { advanced_search: [] }]);
    const run = { advanced_search: { condition_rules_attributes: [] } };
    const results = await other.call('POST', '/api/advanced_search/run', run);
    assert.deepEqual([results.status, results.body], [200, { profiles: [] }]);
    // A pager as in published scripts: it reads until an error.
    for (const uid of ['a', 'b', 'c'])
      await other.call('POST', '/api/role', { role: { name: uid, uid } });
    const uids: string[] = [];
    for (let offset = 0; ; offset += 2) {
      assert.ok(offset < 20, 'the pager ends');
      const { body } = await other.call('GET', `/api/roles?limit=2&offset=${offset}&order=uid`);
      if (body.error !== undefined) break;
      uids.push(...body.roles.map(({ uid }: { uid: string }) => uid));
    }
    assert.deepEqual(uids, ['a', 'b', 'c']);
  } finally {
    await keyed.stop();
  }
});

test('what nothing is served at is told in the words of this area', async () => {
  for (const path of ['/api', '/api/', '/api/v1', '/api/profiles_of', '/api/profile_types/a/b']) {
    const { status, body } = await call('GET', path);
    assert.equal(status, 404, path);
    assert.deepEqual(Object.keys(body), ['error']);
  }
});

test('a walk by offset is the whole while nothing is written, whatever the size of its pages', async () => {
  const whole = (await call('GET', '/api/users?order=name')).body;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), async (limit) => {
      const walked: object[] = [];
      let next = `/api/users?order=name&limit=${limit}&metadata=true`;
      while (next !== '') {
        const { body } = await call('GET', next);
        walked.push(...body.users);
        next = body._metadata.next;
      }
      assert.deepEqual(walked, whole);
    }),
    { numRuns: 9 },
  );
});

test('walks while others come and go: what is made behind the page changes nothing before it', async () => {
  const stay = (await call('GET', '/api/users?limit=1000')).body.map(
    ({ id }: { id: string }) => id,
  );
  const seen: string[] = [];
  for (let offset = 0; ; offset += 2) {
    const { body } = await call('GET', `/api/users?limit=2&offset=${offset}`);
    seen.push(...body.map(({ id }: { id: string }) => id));
    if (body.length < 2) break;
    // Made later, so it stands after all others; deleted again, it leaves no gap before them.
    const login = `walk${offset}`;
    const user = { name: 'walk', email: 'w@acme.test', type: 'NeprofileUser', login };
    const { id } = (await call('POST', '/api/user', { user })).body.user;
    if (offset % 4 === 0) assert.equal((await call('DELETE', `/api/users/${id}`)).status, 200);
    if (offset > 40) break;
  }
  assert.deepEqual(
    stay.filter((id: string) => seen.filter((other) => other === id).length !== 1),
    [],
  );
});

test('HEAD is answered as GET, without the body', async () => {
  const answer = await fetch(`${service.url}/api/users`, {
    method: 'HEAD',
    headers: { authorization: `Token token=${key}` },
  });
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), '');
});

test('every answer carries a tracking id, refusals too', async () => {
  const nobody = caller(service.url, null);
  for (const path of ['/api/users', '/api/nothing', '/api/users?limit=x']) {
    assert.match(
      (await nobody('GET', path)).headers.get('slpt-request-id') ?? '',
      /^[0-9a-f]{32}$/,
    );
  }
});
