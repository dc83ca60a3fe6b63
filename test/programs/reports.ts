// Programs that read a tenant as a whole: auditors, reports, scripts of administrators.
import assert from 'node:assert/strict';
import { lacks, somebody, tokenByForm, tokenByQuery } from './calls.ts';
import type { Call, Program } from './conversation.ts';

/** Pages by offset, as most scripts read a list. */
const every = (path: string, members: readonly string[]): Call => ({
  does: `reads all of ${path.replace(/^\/\w+\//, '')} in pages`,
  request: `GET ${path}?limit=50&offset={offset}`,
  ...{ pages: { limit: 50 }, least: 1, members },
});

/** Programs that report. */
export const REPORTS: readonly Program[] = [
  {
    name: 'Access auditor',
    kind: 'audit',
    readIn: 'cdsmith03/sailpoint-isc-auditor',
    pointedBy: '`ISC_TENANT_URL`; `ISC_PAGE_SIZE=50`, as the lists of roles have no larger pages',
    calls: [
      tokenByForm,
      every('/v3/sources', ['id', 'name']),
      every('/v3/identities', ['id', 'name', 'alias', 'identityStatus', 'attributes']),
      every('/v3/accounts', ['id', 'identityId', 'sourceId', 'disabled', 'attributes']),
      every('/v3/roles', ['id', 'name', 'owner', 'accessProfiles']),
      every('/v3/access-profiles', ['id', 'name', 'owner', 'source', 'entitlements']),
      every('/v3/entitlements', ['id', 'name', 'attribute', 'value', 'source', 'privileged']),
      every('/v3/account-activities', ['id', 'created', 'completionStatus']),
      lacks(
        'reads violations of policies',
        'GET /v3/sod-violations?limit=50&offset=0',
        'sod violations',
      ),
      lacks('reads policies', 'GET /v3/sod-policies?limit=50&offset=0', 'sod policies'),
      lacks('reads certifications', 'GET /v3/certifications?limit=50&offset=0', 'certifications'),
      lacks('reads groups', 'GET /v3/workgroups?limit=50&offset=0', 'governance groups'),
      lacks(
        'reads machine identities',
        'GET /beta/machine-identities?limit=50&offset=0',
        'machine identities',
      ),
    ],
  },
  {
    name: 'isc-reporter',
    kind: 'report',
    readIn: 'isc-reporter (PyPI)',
    pointedBy: '`SAIL_BASE_URL`',
    calls: [
      tokenByForm,
      {
        does: 'walks the newest identities by two keys',
        request: 'POST /search/v1?limit=25',
        json: {
          ...{ indices: ['identities'], queryType: 'SAILPOINT', aggregationType: 'DSL' },
          ...{ query: { query: '*' }, sort: ['-created', 'id'], includeNested: true },
          searchAfter: '{after}',
        },
        pages: { limit: 25, after: ['created', 'id'] },
        ...{ least: 50, members: ['id', 'created', 'accounts', 'access'] },
      },
      lacks('reads campaigns', 'GET /campaigns/v1?limit=250&offset=0', 'certification campaigns'),
      lacks('reads mappings', 'GET /identity-profiles/v1?limit=250&offset=0', 'identity profiles'),
    ],
  },
  {
    name: 'Python library for reports',
    kind: 'report',
    readIn: 'fitchgroup/sailpoint',
    pointedBy: 'host',
    calls: [
      tokenByQuery,
      {
        does: 'reads a whole index after the id of the last, with an empty parameter',
        request: 'POST /v3/search?&limit=250',
        json: {
          ...{ indices: ['accessprofiles'], query: { query: '*' }, sort: ['id'] },
          searchAfter: '{after}',
        },
        pages: { limit: 250, after: ['id'] },
        ...{ least: 1, members: ['id', 'name', 'apps'] },
        keep: { lastId: '-1.id' },
      },
      {
        does: 'asks once more, and ends at an empty page',
        request: 'POST /v3/search?&limit=250',
        json: {
          ...{ indices: ['accessprofiles'], query: { query: '*' }, sort: ['id'] },
          searchAfter: ['{lastId}'],
        },
        holds: ({ body }) => assert.deepEqual(body, []),
      },
      {
        does: 'finds owners of access profiles',
        request: 'POST /v3/search?&limit=250',
        json: {
          ...{ indices: ['identities'], includeNested: false, sort: ['id'] },
          query: { query: 'owns.accessProfiles.id:* AND attributes.cloudLifecycleState:active' },
        },
        ...{ least: 1, members: ['id', 'name', 'status', 'attributes.cloudLifecycleState'] },
        keep: { ownerId: '0.id' },
      },
      {
        does: 'lists the access profiles of one',
        request: 'GET /beta/access-profiles?filters=owner.id eq "{ownerId}"',
        ...{ least: 1, members: ['id', 'name', 'owner.id'] },
        holds({ body }, { ownerId }) {
          for (const { owner } of body) assert.equal(owner.id, ownerId);
        },
      },
      {
        does: 'finds owners who have left',
        request: 'POST /v3/search?&limit=250',
        json: {
          ...{ indices: ['identities'], includeNested: false, sort: ['id'] },
          query: {
            query: 'owns.accessProfiles.id:* AND NOT attributes.cloudLifecycleState:active',
          },
        },
        holds({ body }) {
          for (const { attributes } of body)
            assert.notEqual(attributes.cloudLifecycleState, 'active');
        },
      },
      somebody,
      {
        does: 'finds a person by name',
        request: 'POST /v3/search',
        json: {
          ...{ indices: ['identities'], query: { query: 'displayName:"{displayName}"' } },
          includeNested: false,
        },
        ...{ least: 1, members: ['id', 'displayName'] },
      },
      {
        does: 'finds a person by id',
        request: 'POST /v3/search',
        json: {
          ...{ indices: ['identities'], query: { query: 'id:"{personId}"' } },
          includeNested: false,
        },
        holds: ({ body }) => assert.equal(body.length, 1),
      },
      {
        does: 'forgets a colon in its search by e-mail, and finds words instead',
        request: 'POST /v3/search',
        json: {
          ...{ indices: ['identities'], query: { query: 'attributes.email"{email}"' } },
          includeNested: false,
        },
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      {
        does: 'finds a source by name among those of the first page',
        request: 'GET /v3/sources',
        ...{ least: 1, members: ['id', 'name'] },
        holds({ body }, { sourceName }) {
          assert.ok((body as { name: string }[]).some(({ name }) => name === sourceName));
        },
      },
      {
        does: 'lists the entitlements of a source by id',
        request:
          'GET /beta/entitlements?offset={offset}&limit=250&sorters=id&filters=source.id eq "{sourceId}"',
        pages: { limit: 250 },
      },
      {
        does: 'lists the accounts of a source',
        request: 'GET /v3/accounts?offset={offset}&limit=250&filters=sourceId eq "{sourceId}"',
        ...{ pages: { limit: 250 }, least: 1, members: ['id', 'name', 'sourceId'] },
      },
      {
        does: 'ends at the empty page behind them',
        request: 'GET /v3/accounts?offset=5000&limit=250&filters=sourceId eq "{sourceId}"',
        holds: ({ body }) => assert.deepEqual(body, []),
      },
      {
        does: 'sorts access profiles by id, which the specification does not have',
        request:
          'GET /beta/access-profiles?offset=0&limit=250&sorters=id&filters=source.id eq "{sourceId}"',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /name, created, modified/),
      },
      lacks(
        'reads groups',
        'GET /beta/workgroups?offset=0&limit=250&sorters=id',
        'governance groups',
      ),
      lacks('reads applications', 'GET /cc/api/app/list?filter=org', 'private API'),
      lacks('reads a policy', 'GET /beta/sod-policies/{personId}', 'sod policies'),
    ],
  },
  {
    name: 'Weekly report of failures, in PowerShell',
    kind: 'report',
    readIn: 'public copies of a report script',
    pointedBy: 'host',
    calls: [
      tokenByForm,
      {
        does: 'counts failures by type and name, in buckets that it does not name',
        request: 'POST /v3/search/aggregate',
        json: {
          ...{ aggregationType: 'SAILPOINT', indices: ['events'] },
          aggregations: {
            bucket: { field: 'type' },
            subAggregation: { bucket: { field: 'technicalName' } },
          },
          query: { query: 'status:FAILED AND created:[now-365d TO now]' },
        },
        keep: {
          type: 'aggregations.type.buckets.0.key',
          technicalName: 'aggregations.type.buckets.0.technicalName.buckets.0.key',
          failures: 'aggregations.type.buckets.0.technicalName.buckets.0.doc_count',
        },
      },
      {
        does: 'reads the events of a bucket, as many as its total says',
        request: 'POST /v3/search?offset=0&limit=250&count=true',
        json: {
          query: {
            query:
              'status:FAILED AND created:[now-365d TO now] AND type:{type} AND technicalName:{technicalName}',
          },
          indices: ['events'],
        },
        ...{ least: 1, counts: true, members: ['actor.name', 'technicalName', 'attributes'] },
        holds({ body, headers }, { failures }) {
          assert.deepEqual(
            [body.length, Number(headers.get('x-total-count'))],
            [failures, failures],
          );
        },
        keep: { target: '0.target.name' },
      },
      {
        does: 'counts what happened to the same target, by a total alone',
        request: 'POST /v3/search?offset=0&limit=1&count=true',
        json: {
          query: {
            query:
              'created:[now-365d TO now] AND target.name:"{target}" AND (technicalName:{technicalName} OR technicalName:OTHER)',
          },
          indices: ['events'],
        },
        ...{ least: 1, counts: true },
      },
      {
        does: 'lists sources',
        request: 'GET /v2024/sources',
        ...{ least: 1, members: ['id', 'name'] },
        keep: { sourceId: '0.id' },
      },
      lacks(
        'reads aggregations of a source',
        'GET /v2024/task-status?limit=10&offset=0&filters=sourceId eq "{sourceId}" and type in ("CLOUD_ACCOUNT_AGGREGATION")&sorters=-created',
        'task management',
      ),
      lacks('reads workflows', 'GET /v2024/workflows', 'workflows'),
    ],
  },
  {
    name: 'Script that removes roles of leavers',
    kind: 'script',
    readIn: 'mikeburns7/sailpoint-identitynow',
    pointedBy: 'host `tenant.api.identitynow.com` in the code',
    calls: [
      tokenByForm,
      {
        does: 'finds leavers that still have roles',
        request: 'POST /v3/search',
        json: {
          indices: ['identities'],
          query: { query: 'accessCount:[1 TO 1000] AND attributes.cloudLifecycleState:"active"' },
          queryResultFilter: { includes: ['name', 'displayName', 'email', 'id'] },
        },
        ...{ least: 1, members: ['name', 'displayName', 'email', 'id'] },
        holds: ({ body }) => assert.ok(!('accounts' in body[0])),
        keep: { leaver: '0.id' },
      },
      {
        does: 'reads the access of one as inner hits',
        request: 'POST /v3/search',
        json: {
          indices: ['identities'],
          query: {
            query: 'id:"{leaver}"',
            innerHit: { type: 'access', query: 'type: "ROLE"' },
          },
        },
        members: ['id', 'type'],
        holds({ body }) {
          for (const { type } of body) assert.equal(type, 'ROLE');
        },
      },
      lacks('revokes a role', 'POST /v3/access-requests', 'access requests', {
        requestType: 'REVOKE_ACCESS',
        requestedFor: ['{leaver}'],
        requestedItems: [{ comment: 'left', id: '{leaver}', type: 'ROLE' }],
      }),
    ],
  },
  {
    name: 'Scripts of administrators',
    kind: 'script',
    readIn: 'guides and forums of the vendor',
    pointedBy: 'base URL in the script',
    calls: [
      tokenByForm,
      {
        does: 'negates with an exclamation mark and searches an exact prefix',
        request: 'POST /v3/search?limit=10&offset=0&count=true',
        json: {
          indices: ['identities'],
          query: { query: '!attributes.department:Finance AND attributes.firstname.exact:A*' },
          sort: ['displayName'],
        },
        counts: true,
      },
      {
        does: 'finds people without a manager, and with one',
        request: 'POST /v3/search/count',
        json: { indices: ['identities'], query: { query: 'NOT _exists_:manager' } },
        status: 204,
        holds: ({ headers }) => assert.ok(Number(headers.get('x-total-count')) >= 1),
      },
      {
        does: 'copies an example of the documentation with a list in sort',
        request: 'POST /v3/search',
        json: {
          indices: ['identities'],
          query: { query: '*' },
          sort: [['displayName', '+id']],
        },
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /sort/),
      },
      {
        does: 'walks account activities whose errors are lists',
        request: 'POST /v3/search?limit=100',
        json: {
          indices: ['accountactivities'],
          query: { query: '_exists_:sources' },
          sort: ['id'],
          searchAfter: '{after}',
        },
        pages: { limit: 100, after: ['id'] },
        ...{ least: 1, members: ['id', 'sources', 'errors'] },
        holds({ body }) {
          for (const { errors } of body) assert.ok(Array.isArray(errors));
        },
      },
      {
        does: 'copies the paging into the body, as a guide has it',
        request: 'POST /v3/search',
        json: { indices: ['events'], query: { query: 'type:AUTH' }, offset: 0, limit: 5 },
        holds: ({ body }) => assert.equal(body.length, 5),
      },
      somebody,
      {
        does: 'finds a person by uid, as forums advise',
        request: 'GET /v3/identities?filters=uid eq "{person}"',
        holds: ({ body }, { personId }) => assert.equal(body[0]?.id, personId),
      },
      {
        does: 'puts people and their sources into a table',
        request: 'POST /v2024/search/aggregate',
        json: {
          indices: ['identities'],
          query: { query: '*' },
          aggregations: {
            nested: { name: 'accounts', type: 'accounts' },
            bucket: { name: 'source', field: 'accounts.source.name.exact' },
          },
          aggregationType: 'SAILPOINT',
        },
        members: ['aggregations'],
      },
    ],
  },
];
