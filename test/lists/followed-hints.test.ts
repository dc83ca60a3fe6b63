// suite: slow
// Every hint that a list, a search or profile management gives about a parameter is followed: what it
// recommends is not refused, and gives no further hint. Suggested names of fields are followed as well.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { descriptors } from '../../src/service/profiles/resources/descriptors.ts';
import { eventually } from '../support/eventually.ts';
import { COMPANY_DOCUMENTS, LISTED_IDS } from '../support/listed-company.ts';
import { type RunningService, startService } from '../support/service.ts';

const id = (area: keyof typeof LISTED_IDS) => LISTED_IDS[area][0];

/** The lists, with an object each where one is needed. */
const LISTS: readonly string[] = [
  ...Object.keys(LISTED_IDS).map((area) => `/v2026/${area}`),
  `/v3/accounts/${id('accounts')}/entitlements`,
  `/v3/roles/${id('roles')}/entitlements`,
  `/v3/roles/${id('roles')}/assigned-identities`,
  `/v3/access-profiles/${id('access-profiles')}/entitlements`,
  ...['/v3/personal-access-tokens', '/v3/oauth-clients', '/admin/v1/auth-users'],
  ...['/v3/saved-searches', '/v3/scheduled-searches', '/admin/v1/dashboards'],
  ...Object.values(descriptors).map(({ collection }) => `/api/${collection.key}`),
  ...['/api/profiles', '/api/advanced_search'],
];

/** Parameters of other APIs, names of fields of any list, and misspelt ones. */
const SENT: readonly string[] = [
  ...[
    'filter',
    'query',
    'q',
    'search',
    'where',
    'sort',
    'sortBy',
    'order_by',
    'sorter',
    'ordering',
  ],
  ...['page', 'pageNumber', 'startIndex', 'start', 'skip', 'from', 'size', 'pageSize', 'per_page'],
  ...['top', '$top', 'itemsPerPage', 'max', 'total', 'includeTotal', 'limt', 'ofset', 'cuont'],
  ...['filer', 'sortrs', 'status', 'disabled', 'created', 'uid', 'sourceCount', 'name', 'Name'],
  ...['id', 'alias', 'email', 'type', 'source', 'sourceId', 'source_id', 'owner', 'ownerId'],
  ...['owner.id', 'modified', 'requestable', 'identity', 'nativeIdentity', 'attribute', 'value'],
  ...['capabilities', 'lastUsed', 'enabled', 'profile_type', 'profileTypeId', 'filter[name]'],
  ...['filter[uid]', 'attributes.first_name', 'updatedAt', 'login', 'metdata', 'savedSearch'],
];

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments(COMPANY_DOCUMENTS as Record<string, unknown>[]);
  await eventually(async () => assert.ok((await service.call('GET', '/v3/roles')).ok));
});
after(() => service.stop());

/** The warnings of a response. */
function warningsOf(answer: Response): readonly string[] {
  const header = answer.headers.get('warning') ?? '';
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}

/** The query that a hint recommends; null: it is no parameter with a value. */
function recommended(send: string): string {
  const [, such] = / such as (\w+=.*?)(?:, which is ascending)?$/.exec(send) ?? [];
  const [, name = '', value = '1'] = /^([\w.-]+?)(?:=(.*)|,.*)?$/.exec(such ?? send) ?? [];
  assert.notEqual(name, '', send);
  const values: Readonly<Record<string, string>> = { '...': 'x', ...VALUES };
  return `${name}=${encodeURIComponent(values[value === '1' ? name : value] ?? value)}`;
}

/** Values of parameters that are recommended without one. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ filters: '', sorters: '', order: 'id', metadata: 'true', count: 'true' },
  ...{ 'owner-id': 'me', status: 'Active', type: '', updated_at: '2026-01-01' },
};

for (const path of LISTS) {
  describe(path, () => {
    test('recommends nothing that it refuses or does not read', async () => {
      let followed = 0;
      for (const name of SENT) {
        const answer = await service.call('GET', `${path}?${encodeURIComponent(name)}=1`);
        if (answer.status !== 200) {
          // A parameter of the list, to which 1 is no value.
          assert.match(await answer.text(), new RegExp(name.replace(/[$[\]]/g, '.')), name);
          continue;
        }
        const warnings = warningsOf(answer);
        for (const text of warnings) {
          const [, known] = /; known are (.*)$/.exec(text) ?? [];
          const names = known?.split(', ') ?? [];
          assert.equal(new Set(names).size, names.length, text);
          const [, send] = /^Instead of ".*?" send (.*)$/.exec(text) ?? [];
          if (send === undefined) continue;
          const [, mend = send] = /^each attribute by its name, such as (.*)$/.exec(send) ?? [];
          const next = await service.call('GET', `${path}?${recommended(mend)}`);
          assert.equal(next.status, 200, `${name} → ${send}: ${await next.clone().text()}`);
          if (!mend.includes('=...')) assert.deepEqual(warningsOf(next), [], `${name} → ${send}`);
          followed += 1;
        }
      }
      assert.ok(followed >= 5, `only ${followed} hints`);
    });

    test('suggests only fields that it is filtered and sorted by', async () => {
      if (path.startsWith('/api/')) return;
      for (const parameter of ['filters', 'sorters']) {
        for (const name of SENT.filter((one) => /^[\w.]+$/.test(one))) {
          const value = parameter === 'filters' ? `${name} isnull` : name;
          const query = new URLSearchParams({ [parameter]: value });
          const answer = await service.call('GET', `${path}?${query}`);
          const text = await answer.text();
          const [, near] = /did you mean ([\w.]+)\?/.exec(text) ?? [];
          if (near === undefined) continue;
          const again = new URLSearchParams({ [parameter]: value.replace(name, near) });
          const next = await (await service.call('GET', `${path}?${again}`)).text();
          assert.doesNotMatch(next, /cannot be filtered by|is not sortable/, `${name} → ${near}`);
        }
      }
    });
  });
}

const MISTAKEN: readonly (readonly [path: string, filters: string, cause: RegExp])[] = [
  ['/v3/identities', 'created gt 2018-01-01', /created cannot be filtered by; the fields are id, /],
  ['/v3/public-identities', 'country eq "a"', /country cannot be filtered by; the fields are id, /],
  ['/v3/roles', 'sourceCount eq 1', /sourceCount cannot be filtered by; the fields are id, /],
  ['/v3/accounts', 'disabled eq true', /disabled cannot be filtered by; the fields are id, /],
  ['/v3/accounts', 'nmae eq "a"', /nmae cannot be filtered by; did you mean name\?/],
  ['/v3/accounts', 'source_id eq "a"', /did you mean sourceId\?/],
];
for (const [path, filters, cause] of MISTAKEN) {
  test(`${path} says of ${filters} what there is`, async () => {
    const answer = await service.call('GET', `${path}?${new URLSearchParams({ filters })}`);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), cause);
  });
}

test('a search recommends parameters that it reads', async () => {
  for (const name of SENT) {
    const path = `/v3/search?${encodeURIComponent(name)}=1`;
    const body = { indices: ['identities'], query: { query: '*' }, sort: ['id'] };
    const answer = await service.call('POST', path, body);
    for (const text of warningsOf(answer)) {
      const [, query, member] =
        /^Instead of ".*?" send (?:.* in the URL, such as \?(.*)|(".*?)(?: for what .*)? in the body)$/.exec(
          text,
        ) ?? [];
      if (query === undefined && member === undefined) continue;
      const sent = { ...body, ...(member === undefined ? {} : JSON.parse(`{${member}}`)) };
      const next = await service.call('POST', `/v3/search?${query ?? ''}`, sent);
      assert.equal(next.status, 200, `${name} → ${text}: ${await next.clone().text()}`);
      assert.deepEqual(warningsOf(next), [], text);
    }
  }
});
