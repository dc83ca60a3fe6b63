// Guides of the vendor, followed sentence by sentence: what they say to send, and what they say comes back.
import assert from 'node:assert/strict';
import { lacks, somebody, tokenByForm, tokenByQuery } from './calls.ts';
import type { Answer, Call, Program } from './conversation.ts';

const pointedBy = 'base URL in its commands';

/** A list that a guide filters, and the status that it says. */
const filtered = (does: string, list: string, filters: string, status = 200): Call => ({
  does,
  request: `GET ${list}?limit=50&filters=${filters}`,
  status,
});

const names = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name);

/** A search in the events, as the guide to the audit trail writes it. */
const events = (does: string, queryDsl: object, members: object = {}): Call => ({
  does,
  request: 'POST /search/v1?count=true',
  json: { indices: ['events'], queryType: 'DSL', queryDsl, ...members },
  counts: true,
});

/** A removal of one value from a list that does not have it there. */
const removal: Call = {
  does: 'removes a level that is not at the path, which fails and leaves the others',
  request: 'PATCH /v3/auth-users/{me}',
  headers: { 'content-type': 'application/json-patch+json' },
  json: [{ op: 'remove', path: '/capabilities', value: ['none'] }],
  status: 400,
};

const rules = (does: string, conditions: readonly object[], holds: Call['holds']): Call => ({
  does,
  request: 'POST /api/advanced_search/run?limit=500',
  headers: { authorization: 'Bearer {apiKey}' },
  json: { advanced_search: { condition_rules_attributes: conditions } },
  ...(holds !== undefined && { holds }),
});

/** The guides. */
export const GUIDES: readonly Program[] = [
  {
    name: 'Guides to a first call, authentication and authorization',
    kind: 'guide',
    readIn: 'developer.sailpoint.com: getting-started, authentication, authorization',
    pointedBy,
    calls: [
      tokenByQuery,
      {
        does: 'shows one identity',
        request: 'GET /v3/public-identities?limit=1',
        holds: ({ body }) => assert.equal(body.length, 1),
      },
      {
        does: 'finds the endpoints of its tenant',
        request: 'GET /oauth/info',
        members: ['tenantId', 'tenantName', 'authorizeEndpoint', 'tokenEndpoint', 'pod'],
      },
      lacks('opens its session', 'GET /ui/session', '/console'),
      lacks('sends somebody to sign in', 'GET /oauth/authorize?response_type=code', 'no sign-in'),
      lacks('calls version 2', 'GET /v2/identities', 'earlier API'),
      { does: 'verifies its clients', request: 'GET /beta/oauth-clients/' },
      {
        does: 'reads the levels of its user',
        request: 'GET /oauth/userinfo',
        keep: { me: 'identity_id' },
      },
      removal,
      {
        does: 'sees that the levels are as before',
        request: 'GET /v3/auth-users/{me}',
        holds: ({ body }) => assert.ok(body.capabilities.includes('ORG_ADMIN')),
      },
      lacks('changes a source', 'PATCH /v3/sources/x', 'only reads sources', [
        { op: 'replace', path: '/description', value: 'new description' },
      ]),
    ],
  },
  {
    name: 'Guide to collections',
    kind: 'guide',
    readIn: 'developer.sailpoint.com: standard-collection-parameters',
    pointedBy,
    calls: [
      tokenByForm,
      somebody,
      {
        does: 'skips four and counts all',
        request: 'GET /public-identities/v1?limit=20&offset=4&count=true',
        counts: true,
        holds: ({ body }) => assert.equal(body.length, 20),
      },
      {
        does: 'walks a search after the last id',
        request: 'POST /search/v1?limit=25&count=true',
        json: {
          ...{ indices: ['identities'], query: { query: '*' }, sort: ['id'] },
          searchAfter: '{after}',
        },
        pages: { limit: 25, after: ['id'] },
        least: 50,
      },
      filtered('writes an operator in capitals', '/sources/v1', 'name EQ "a"', 400),
      filtered('filters by a field that the list has not', '/roles/v1', 'groups ca ("a","b")', 400),
      filtered('escapes a character', '/sources/v1', 'name eq "%23Employees"'),
      filtered('escapes quotes, behind a slash', '/sources/v1/', 'name eq "\\"Employees\\""'),
      filtered('compares with a year', '/account-activities/v1', 'created gt 2018'),
      {
        does: 'finds a name in other letters, in descending order',
        request:
          'GET /public-identities/v1?limit=20&filters=alias eq "{person}" or email sw "zz"&sorters=-name',
        holds: ({ body }, { personId }) => assert.equal(body[0]?.id, personId),
      },
      {
        does: 'lets not precede and, and and precede or',
        request:
          'GET /roles/v1?limit=50&filters=not name sw "e" or requestable eq true and dimensional eq false',
        holds: (answer, values) => {
          values['precedence'] = names(answer);
        },
      },
      {
        does: 'writes the same with parentheses',
        request:
          'GET /roles/v1?limit=50&filters=(not (name sw "e")) or ((requestable eq true) and (dimensional eq false))',
        least: 1,
        holds: (answer, { precedence }) => assert.deepEqual(names(answer), precedence),
      },
      {
        does: 'has the most recent activities first',
        request: 'GET /account-activities/v1?limit=10&offset=2&sorters=-created',
        least: 1,
        holds({ body }) {
          const created: string[] = body.map((activity: { created: string }) => activity.created);
          assert.deepEqual(created, [...created].sort().reverse());
        },
      },
    ],
  },
  {
    name: 'Guides to searches for events and access profiles',
    kind: 'guide',
    readIn: 'developer.sailpoint.com: searching-audit-events, disable-access-profile-requests',
    pointedBy,
    calls: [
      tokenByForm,
      events('finds by the name of an act', { match: { action: 'ACCESS_REQUEST_APPROVED' } }),
      events('finds by a technical name', { match: { technicalName: 'ROLE_CREATE_PASSED' } }),
      events('finds failed sign-ins of a month, the newest first', {
        bool: {
          must: [
            { match: { type: 'AUTH' } },
            { match: { status: 'FAILED' } },
            { range: { created: { gte: 'now-30d/d' } } },
          ],
        },
      }),
      events(
        'finds one of several acts on one target',
        {
          bool: {
            must: [
              { match: { 'target.name': 'test-role' } },
              {
                bool: {
                  should: [
                    { match: { action: 'ROLE_CREATED' } },
                    { match: { technicalName: 'ROLE_UPDATE_PASSED' } },
                  ],
                  minimum_should_match: 1,
                },
              },
            ],
          },
        },
        { sort: ['-created'], limit: 250 },
      ),
      {
        does: 'finds access profiles without applications, by the path of the nested objects',
        request: 'POST /v3/search',
        json: {
          queryDsl: {
            bool: {
              must_not: [{ nested: { path: 'apps', query: { exists: { field: 'apps' } } } }],
            },
          },
          ...{ queryType: 'DSL', indices: ['accessprofiles'], sort: ['name'] },
        },
        least: 1,
        holds({ body }) {
          for (const { apps = [] } of body) assert.deepEqual(apps, []);
        },
      },
      lacks(
        'disables requests for all of them',
        'POST /beta/access-profiles/bulk-update-requestable',
        'only reads access profiles',
        [{ id: 'x', requestable: 'false' }],
      ),
      {
        does: 'counts people by an attribute, naming neither a query nor an index',
        request: 'POST /v3/search/aggregate',
        json: {
          aggregationType: 'SAILPOINT',
          aggregations: { bucket: { field: 'attributes.department' } },
        },
        holds: ({ body }) =>
          assert.ok(body.aggregations['attributes.department'].buckets.length > 1),
      },
    ],
  },
  {
    name: 'Guides to profile management',
    kind: 'guide',
    readIn:
      'developer.sailpoint.com: nerm/getting-started, nerm/authentication, nerm/pagination-metadata-filtering',
    pointedBy,
    calls: [
      tokenByForm,
      {
        does: 'reads profiles with a token of the other API',
        request: 'GET /api/profiles?limit=1',
      },
      lacks(
        'calls an area of the other API, as an example does',
        'GET /api/v2025/non-employee-sources',
        'not below /api',
      ),
      lacks('prepends the version of another family', 'GET /api/v2025/users', '/api or /api/v1'),
      {
        does: 'orders users by their creation, with data about the page',
        request: 'GET /api/users?order=created_at&metadata=true&limit=2',
        headers: { authorization: 'Bearer {apiKey}' },
        members: ['users', '_metadata.limit', '_metadata.offset', '_metadata.total'],
      },
      {
        does: 'looks for the attribute of a rule',
        request: 'GET /api/ne_attributes?uid=first_name&metadata=true',
        headers: { authorization: 'Bearer {apiKey}' },
        keep: { attribute: 'ne_attributes.0.id' },
      },
      rules(
        'finds profiles that are not active',
        [{ type: 'ProfileStatusRule', comparison_operator: '!=', value: 'Active' }],
        ({ body }) => {
          for (const { status } of body.profiles) assert.notEqual(status, 'Active');
        },
      ),
      ...(['start_with?', 'include?', 'includes?'] as const).map((comparison_operator) =>
        rules(
          `finds profiles whose first name fits ${comparison_operator}`,
          [
            {
              ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute' },
              ...{ condition_object_id: '{attribute}', comparison_operator, value: 'a' },
            },
          ],
          ({ body }) => {
            assert.ok(body.profiles.length > 0);
            for (const { attributes } of body.profiles) {
              const name = attributes.first_name.toLowerCase();
              assert.ok(
                comparison_operator === 'start_with?' ? name[0] === 'a' : name.includes('a'),
              );
            }
          },
        ),
      ),
    ],
  },
];
