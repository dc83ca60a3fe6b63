// Programs that carry identities into another service: connectors, adapters, automation of a cloud,
// and the clients that they are written with.
import assert from 'node:assert/strict';
import { lacks, one, somebody, tokenByForm, tokenByMultipart, tokenByQuery } from './calls.ts';
import type { Call, Program } from './conversation.ts';

const ascending =
  (path: string): NonNullable<Call['holds']> =>
  ({ body }) => {
    const values = (body as Record<string, string>[]).map((object) => object[path] ?? '');
    assert.deepEqual(values, [...values].sort());
  };

/** A page of a list by offset, as the adapter asks for each of its kinds. */
const paged = (path: string, members: readonly string[], limit = 100): Call => ({
  does: `reads ${path.replace(/^\/\w+\//, '')} in pages of ${limit}`,
  request: `GET ${path}?limit=${limit}&offset={offset}`,
  headers: { 'content-type': 'application/json' },
  ...{ pages: { limit }, least: 1, members },
});

const org = { accept: 'application/json', 'content-type': 'application/json', 'x-idn-org': 'acme' };

/** What changes the levels of the user of the token, as the connector does it. */
const levels = (does: string, value: string): Call => ({
  does,
  request: 'PATCH /v3/auth-users/{me}',
  headers: { 'content-type': 'application/json-patch+json' },
  json: [{ op: 'replace', path: '/capabilities', value }],
  members: ['id', 'capabilities'],
});

/** Connectors and the like. */
export const CONNECTORS: readonly Program[] = [
  {
    name: 'SaaS connector for the administration of a tenant',
    kind: 'connector',
    readIn: 'sailpoint-oss/colab-saas-conn-identitynow-management',
    pointedBy: '`baseurl` of its source',
    calls: [
      tokenByMultipart,
      {
        does: 'lists all identities below /beta',
        request: 'GET /beta/identities?limit=250&offset={offset}',
        ...{ pages: { limit: 250 }, least: 1, members: ['id', 'alias', 'name', 'attributes'] },
        keep: { personId: '0.id', alias: '0.alias' },
      },
      {
        does: 'reads some by a list of ids',
        request: 'POST /v3/search?limit=250',
        json: {
          ...{ indices: ['identities'], sort: ['id'], includeNested: true },
          query: { query: 'id:{personId} OR id:{personId}' },
        },
        ...{ least: 1, members: ['id', 'attributes', 'accounts'] },
      },
      {
        does: 'lists those with a level of the service',
        request: 'POST /v3/search?limit=250',
        json: {
          ...{ indices: ['identities'], sort: ['id'], includeNested: true },
          query: { query: '@access(source.name.exact:IdentityNow)' },
        },
        ...{ least: 1, members: ['id', 'access'] },
      },
      {
        does: 'lists the accounts of a person',
        request: 'GET /v3/accounts?filters=identityId eq "{personId}"',
        ...{ least: 1, members: ['id', 'sourceName', 'disabled'] },
        holds({ body }, { personId }) {
          for (const { identityId } of body) assert.equal(identityId, personId);
        },
      },
      {
        does: 'reads an identity',
        request: 'GET /beta/identities/{personId}',
        members: ['id', 'alias', 'name', 'emailAddress', 'lifecycleState'],
      },
      {
        does: 'finds it by alias',
        request: 'GET /beta/identities?filters=alias eq "{alias}"',
        holds: ({ body }) => assert.equal(body.length, 1),
      },
      {
        does: 'reads the levels of a user',
        request: 'GET /v3/auth-users/{me}',
        members: ['id', 'capabilities'],
        holds(_, values) {
          values['granted'] = ['ORG_ADMIN', 'HELPDESK'];
          values['left'] = ['ORG_ADMIN'];
        },
      },
      {
        ...levels('grants a level', '{granted}'),
        holds: ({ body }) => assert.deepEqual(body.capabilities, ['ORG_ADMIN', 'HELPDESK']),
      },
      {
        ...levels('takes it away', '{left}'),
        holds: ({ body }) => assert.deepEqual(body.capabilities, ['ORG_ADMIN']),
      },
      lacks('reads groups', 'GET /beta/workgroups?limit=250&offset=0', 'governance groups'),
      lacks(
        'reads lifecycle states',
        'GET /beta/identity-profiles?limit=250&offset=0',
        'identity profiles',
      ),
      lacks('looks for its workflow', 'GET /beta/workflows', 'workflows'),
    ],
  },
  {
    name: 'SaaS connector for orphan accounts',
    kind: 'connector',
    readIn: 'sailpoint-oss/colab-saas-conn-identitynow-orphan-accounts',
    pointedBy: '`baseurl` of its source',
    calls: [
      tokenByMultipart,
      {
        does: 'tests its connection',
        request: 'GET /v3/public-identities',
        ...{ least: 1, members: ['id', 'name', 'alias'] },
      },
      {
        does: 'lists all sources',
        request: 'GET /v3/sources?limit=250&offset={offset}',
        ...{ pages: { limit: 250 }, least: 2, members: ['id', 'name'] },
        keep: { sourceId: '0.id', otherId: '1.id' },
      },
      {
        does: 'lists accounts of a source that belong to nobody',
        request:
          'GET /v3/accounts?limit=250&offset={offset}&filters=sourceId eq "{sourceId}" and uncorrelated eq true',
        pages: { limit: 250 },
        holds({ body }) {
          for (const { uncorrelated } of body) assert.equal(uncorrelated, true);
        },
      },
      {
        does: 'lists accounts of several sources, with a blank between the ids',
        request:
          'GET /v3/accounts?limit=250&offset={offset}&filters=sourceId in ("{sourceId}", "{otherId}")',
        ...{ pages: { limit: 250 }, least: 1 },
        holds({ body }, { sourceId, otherId }) {
          for (const account of body) assert.ok([sourceId, otherId].includes(account.sourceId));
        },
        keep: { accountId: '0.id' },
      },
      {
        does: 'reads one of them',
        request: 'GET /v3/accounts/{accountId}',
        members: ['id', 'name', 'sourceName', 'nativeIdentity', 'attributes', 'disabled'],
      },
      somebody,
      {
        does: 'finds a person by the exact uid',
        request: 'POST /v3/search?limit=1',
        json: {
          ...{ indices: ['identities'], includeNested: true },
          query: { query: 'attributes.uid.exact:"{person}"' },
        },
        holds({ body }, { personId }) {
          assert.deepEqual(
            (body as { id: string }[]).map(({ id }) => id),
            [personId],
          );
        },
      },
      {
        does: 'finds those with an account of a source',
        request: 'POST /v3/search',
        json: {
          ...{ indices: ['identities'], includeNested: true },
          query: { query: '@accounts(source.id.exact:"{sourceId}")' },
        },
        ...{ least: 1, members: ['id', 'accounts'] },
      },
      lacks('gives an account to a person', 'PATCH /v3/accounts/{accountId}', 'accounts', [
        { op: 'replace', path: '/identityId', value: '{personId}' },
      ]),
      lacks('disables an account', 'POST /v3/accounts/{accountId}/disable', 'accounts', {
        forceProvisioning: true,
      }),
    ],
  },
  {
    name: 'Adapter of an access graph, in Go',
    kind: 'adapter',
    readIn: 'SGNL-ai/adapters',
    pointedBy: 'address of its data source, with `https://`',
    calls: [
      tokenByForm,
      {
        does: 'reads accounts by id, in pages of 100',
        request: 'GET /v3/accounts?limit=100&offset={offset}&sorters=id',
        headers: { 'content-type': 'application/json' },
        pages: { limit: 100 },
        ...{ least: 1, members: ['id', 'hasEntitlements', 'attributes'], holds: ascending('id') },
      },
      {
        does: 'reads those with entitlements',
        request:
          'GET /v3/accounts?limit=100&offset={offset}&sorters=id&filters=hasEntitlements%20eq%20true',
        pages: { limit: 100 },
        least: 1,
        holds({ body }) {
          for (const { hasEntitlements } of body) assert.equal(hasEntitlements, true);
        },
        keep: { accountId: '0.id' },
      },
      paged('/v3/accounts/{accountId}/entitlements', ['id', 'name', 'value']),
      paged('/beta/entitlements', ['id', 'name', 'attribute', 'source']),
      paged('/beta/identities', ['id', 'alias', 'name']),
      paged('/v3/access-profiles', ['id', 'name', 'source']),
      paged('/v3/roles', ['id', 'name', 'owner'], 50),
      {
        does: 'learns that roles have no pages of 100',
        request: 'GET /v3/roles?limit=100&offset=0',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /limit.* 50/),
      },
    ],
  },
  {
    name: "The vendor's integration for Zapier",
    kind: 'automation',
    readIn: 'sailpoint-oss/colab-sailpoint-zapier-integration',
    pointedBy:
      'runs in the cloud of Zapier: a public name and certificate; it signs people in by a page, which Cardea does not have',
    calls: [
      tokenByQuery,
      {
        does: 'tests its connection',
        request: 'GET /v3/account-activities?limit=1',
        headers: org,
        ...{ least: 1, members: ['id', 'type', 'items', 'requesterIdentitySummary'] },
        keep: { activity: '0.id', target: '0.targetIdentitySummary.id' },
      },
      {
        does: 'reads an account activity',
        request: 'GET /v3/account-activities/{activity}',
        headers: org,
        members: ['id', 'completionStatus', 'targetIdentitySummary', 'errors', 'warnings'],
      },
      {
        does: 'lists those for a person, the newest first',
        request: 'GET /v3/account-activities?requested-for={target}&sorters=-created&limit=5',
        headers: org,
        least: 1,
        holds({ body }, { target }) {
          for (const { targetIdentitySummary } of body) {
            assert.equal(targetIdentitySummary.id, target);
          }
        },
      },
      {
        does: 'lists requests for access',
        request: 'GET /v3/account-activities?filters=type eq "appRequest"&limit=5',
        headers: org,
        least: 1,
        holds({ body }) {
          for (const { type } of body) assert.equal(type, 'appRequest');
        },
      },
      {
        does: 'lists those that its user asked for: none',
        request: 'GET /v3/account-activities?requested-by=me&limit=1',
        headers: org,
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      {
        does: 'fills a list of people to choose from',
        request: 'GET /v3/public-identities',
        headers: org,
        ...{ least: 1, members: ['id', 'name'] },
      },
      {
        does: 'lists people without those of the service',
        request: 'GET /v3/public-identities?add-core-filters=true&sorters=name&limit=10',
        headers: org,
        least: 1,
      },
      lacks(
        'fills a list of what may be requested',
        'GET /v3/requestable-objects',
        'requestable objects',
      ),
      lacks('lists certifications', 'GET /v3/certifications?limit=1', 'certifications'),
      lacks(
        'uploads a file of accounts, as the console of 2019 did',
        'POST /cc/api/source/loadAccounts/1',
        'private API',
      ),
    ],
  },
  {
    name: "The vendor's client for Go",
    kind: 'client',
    readIn: 'sailpoint-oss/golang-sdk',
    pointedBy: '`SAIL_BASE_URL`',
    calls: [
      {
        ...tokenByForm,
        request: 'POST /oauth/token?grant_type=client_credentials',
        form: { client_id: '{clientId}', client_secret: '{clientSecret}' },
      },
      {
        does: 'walks accounts with its defaults',
        request: 'GET /v3/accounts?limit=250&offset={offset}',
        ...{ pages: { limit: 250 }, least: 1, members: ['id', 'name', 'sourceId', 'attributes'] },
      },
      {
        does: 'walks accounts in steps of its own',
        request: 'GET /v3/accounts?limit=100&offset={offset}',
        ...{ pages: { limit: 100 }, least: 1 },
      },
      {
        does: 'walks identities backwards by name, ten at a time, as its guide shows it',
        request: 'POST /v3/search?limit=10',
        json: {
          ...{ indices: ['identities'], query: { query: '*' }, sort: ['-name'] },
          searchAfter: '{after}',
        },
        pages: { limit: 10, after: ['name'] },
        ...{ least: 50, members: ['id', 'name'] },
        holds({ body }) {
          const names = (body as { name: string }[]).map(({ name }) => name);
          assert.deepEqual(names, [...names].sort().reverse());
        },
      },
      one('events', 'type:AUTH', { eventId: '0.id' }),
      {
        does: 'reads a document of an index',
        request: 'GET /v3/search/events/{eventId}',
        members: ['id', 'created', 'type'],
      },
      {
        does: 'learns what is wrong with a sorter from the causes',
        request: 'GET /v3/accounts?sorters=-owner&limit=10',
        status: 400,
        holds: ({ body }) => assert.match(body.causes[0].text, /owner/),
      },
      lacks('lists transforms, as its guide shows it', 'GET /v3/transforms', 'transforms'),
    ],
  },
];
