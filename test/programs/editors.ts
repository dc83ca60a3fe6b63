// Extensions of editors, command lines and servers for assistants.
import assert from 'node:assert/strict';
import { lacks, one, somebody, tokenByForm } from './calls.ts';
import type { Answer, Call, Program } from './conversation.ts';

const includes = { queryResultFilter: { includes: ['id', 'name'] } };

/** A page of a list with its total. */
const listed = (does: string, request: string, members: readonly string[]): Call => ({
  does,
  request,
  ...{ least: 1, counts: true, members },
});

/** As `sail report` counts: in all indexes. */
const counted = (query: string): Call => ({
  does: 'counts for a report, in all indexes',
  request: 'POST /v3/search/count',
  json: {
    ...{ aggregationType: 'DSL', includeNested: true, queryType: 'SAILPOINT' },
    query: { query },
  },
  status: 204,
  holds: ({ headers }) => assert.match(headers.get('x-total-count') ?? '', /^\d+$/),
});

/** As `sail reassign` collects what somebody owns: the total, then without a limit. */
const owned = (list: string): readonly Call[] => [
  {
    does: `counts ${list} of an owner`,
    request: `GET /v2024/${list}?filters=owner.id eq "{owner}"&limit=1&count=true`,
    counts: true,
  },
  {
    does: `lists ${list} of an owner`,
    request: `GET /v2024/${list}?filters=owner.id eq "{owner}"`,
    holds({ body }, { owner }) {
      for (const object of body) assert.equal(object.owner.id, owner);
    },
  },
];

const oneFound = ({ headers, body }: Answer): void => {
  assert.equal(headers.get('x-total-count'), '1');
  assert.equal(body.length, 1);
};

/** Extensions. */
export const EDITORS: readonly Program[] = [
  {
    name: 'Visual Studio Code extension for Identity Security Cloud',
    kind: 'editor',
    readIn: 'yannick-beot-sp/vscode-sailpoint-identitynow',
    pointedBy: 'host',
    calls: [
      tokenByForm,
      {
        does: 'lists all sources by name',
        request: 'GET /v2025/sources?sorters=name&limit=250&offset={offset}',
        ...{ pages: { limit: 250 }, least: 2, members: ['id', 'name', 'owner'] },
        keep: { sourceId: '0.id', sourceName: '0.name' },
      },
      {
        does: 'finds a source by name',
        request: 'GET /v3/sources?filters=name eq "{sourceName}"&limit=2',
        holds: ({ body }) => assert.equal(body.length, 1),
      },
      {
        does: 'finds a source by name or id',
        request: 'GET /v3/sources?filters=name eq "{sourceId}" or id eq "{sourceId}"',
        holds: ({ body }) => assert.equal(body.length, 1),
      },
      { does: 'opens a source', request: 'GET /v3/sources/{sourceId}', members: ['id', 'name'] },
      {
        does: 'counts the accounts of a source',
        request: 'GET /v3/accounts?count=true&limit=1&offset=0&filters=sourceId eq "{sourceId}"',
        counts: true,
      },
      listed(
        'counts the entitlements of a source',
        'GET /v2025/entitlements?count=true&limit=1&offset=0',
        ['id', 'name', 'source'],
      ),
      {
        does: 'searches roles page by page',
        request: 'POST /v2025/search?limit=25&offset=0&count=true',
        json: { indices: ['roles'], query: { query: '*' }, sort: ['name'], ...includes },
        ...{ least: 1, counts: true, members: ['id', 'name'] },
        keep: { role: '0.name', roleId: '0.id' },
      },
      {
        does: 'lists all roles in pages of 250, of which the specification allows 50',
        request: 'GET /v3/roles?sorters=name&limit=250&offset=0',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /limit.* 50/),
      },
      {
        does: 'finds a role by name',
        request: 'GET /v2025/roles?filters=name eq "{role}"&limit=1&count=true',
        holds: oneFound,
      },
      {
        does: 'lists the access profiles of a source',
        request:
          'GET /v2025/access-profiles?filters=source.id eq "{sourceId}"&sorters=name&limit=250&offset={offset}',
        pages: { limit: 250 },
      },
      somebody,
      {
        does: 'finds a person by alias',
        request: 'GET /v2025/public-identities?filters=alias eq "{person}"&limit=1&count=true',
        ...{ members: ['id', 'name', 'alias', 'email', 'status'], holds: oneFound },
      },
      {
        does: 'finds a person by alias or name, which the specification does not have as a filter',
        request:
          'GET /v2025/public-identities?filters=alias eq "{person}" or name eq "{person}"&limit=1&count=true',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /name.*alias/),
      },
      {
        does: 'finds a person by id',
        request: 'GET /v2025/public-identities?filters=id eq "{personId}"&limit=1&count=true',
        holds: oneFound,
      },
      {
        does: 'finds an identity by alias',
        request: 'GET /beta/identities?filters=alias eq "{person}"',
        members: ['id', 'alias', 'managerRef', 'attributes'],
        holds: ({ body }) => assert.equal(body.length, 1),
      },
      {
        does: 'searches access profiles page by page',
        request: 'POST /v2025/search?limit=25&offset=0&count=true',
        json: {
          ...{ indices: ['accessprofiles'], query: { query: '*' }, sort: ['name'] },
          ...{ includeNested: false, ...includes },
        },
        ...{ least: 1, counts: true, members: ['id', 'name'] },
      },
      lacks('lists transforms', 'GET /v3/transforms?limit=250&offset=0', 'transforms'),
      lacks('lists workflows', 'GET /beta/workflows', 'workflows'),
      lacks('creates a role', 'POST /v2025/roles', 'roles', { name: 'New role' }),
    ],
  },
  {
    name: "The vendor's command line, sail",
    kind: 'command line',
    readIn: 'sailpoint-oss/sailpoint-cli',
    pointedBy: '`SAIL_BASE_URL`',
    calls: [
      {
        ...tokenByForm,
        request: 'POST /oauth/token?grant_type=client_credentials',
        form: { client_id: '{clientId}', client_secret: '{clientSecret}' },
      },
      {
        does: 'searches two indexes, with empty filters',
        request: 'POST /v3/search?limit=250&offset=0',
        json: {
          ...{ aggregationType: 'DSL', includeNested: true, indices: ['identities', 'events'] },
          ...{ query: { query: 'name:a*' }, queryResultFilter: {}, queryType: 'SAILPOINT' },
          sort: ['name', '-created'],
        },
        ...{ least: 1, members: ['id', '_type', 'type'] },
      },
      {
        does: 'runs a template',
        request: 'POST /v3/search?limit=250&offset=0',
        json: {
          indices: ['events'],
          query: { query: '(type:provisioning AND created:[now-90d TO now])' },
          ...{ searchAfter: [], sort: [] },
        },
        ...{ least: 1, members: ['id'] },
      },
      {
        does: 'runs a template that asks for a number of days',
        request: 'POST /v3/search?limit=250&offset=0',
        json: {
          indices: ['events'],
          query: { query: '(USER_UNLOCK_PASSED AND created:[now-365d TO now])' },
          ...{ searchAfter: [], sort: [] },
        },
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      counted('(type:provisioning AND created:[now-90d TO now])'),
      counted('(USER_UNLOCK_PASSED AND created:[now-90d TO now])'),
      somebody,
      one('roles', '_exists_:owner.id', { role: '0.id', owner: '0.owner.id' }),
      {
        does: 'reads who gives and who takes what is reassigned',
        request: 'GET /v2024/identities?filters=id in ("{owner}","{personId}")',
        members: ['id', 'name'],
        holds: ({ body }) => assert.ok(body.length === 1 || body.length === 2),
      },
      ...['sources', 'roles', 'access-profiles', 'entitlements'].flatMap((list) => owned(list)),
      {
        does: 'looks whether an id is that of a source',
        request: 'GET /v2024/sources/{role}',
        status: 404,
      },
      {
        does: 'or of a role',
        request: 'GET /v2024/roles/{role}',
        members: ['id', 'name', 'owner.id'],
      },
      {
        does: 'gets any path: accounts below /beta',
        request: 'GET /beta/accounts',
        ...{ least: 1, members: ['id', 'name'] },
        holds: ({ headers }) => assert.equal(headers.get('x-deprecated'), 'true'),
      },
      lacks('lists transforms', 'GET /v3/transforms', 'transforms'),
      lacks('lists connectors', 'GET /beta/platform-connectors', 'Nothing is served'),
    ],
  },
  {
    name: 'Neovim plugin for IdentityNow',
    kind: 'editor',
    readIn: 'yohanduartep/nvim-sailpoint-identitynow',
    pointedBy: 'any host with `https://`',
    calls: [
      tokenByForm,
      listed('lists identities', 'GET /beta/identities?limit=250&offset=0&count=true', ['id']),
      listed('lists sources', 'GET /v3/sources?limit=250&offset=0&count=true', ['id', 'name']),
      lacks('lists rules', 'GET /beta/connector-rules', 'connector rule management'),
    ],
  },
];

/** Servers for assistants. */
export const ASSISTANTS: readonly Program[] = [
  {
    name: 'MCP server by schwarztim',
    kind: 'MCP server',
    readIn: 'schwarztim/sailpoint-mcp',
    pointedBy: '`SAILPOINT_BASE_URL`',
    calls: [
      tokenByForm,
      somebody,
      {
        does: 'list_identities',
        request:
          'GET /v3/public-identities?limit=50&filters=firstname sw "A" or alias eq "{person}"&sorters=name',
        ...{ least: 1, members: ['id', 'name', 'alias', 'manager', 'attributes'] },
      },
      {
        does: 'list_accounts',
        request: 'GET /v3/accounts?limit=50&filters=sourceId eq "{sourceId}"',
        ...{ least: 1, members: ['id', 'disabled'] },
      },
      { does: 'get_account', request: 'GET /v3/accounts/{accountId}', members: ['id', 'identity'] },
      {
        does: 'get_account_entitlements',
        request: 'GET /v3/accounts/{accountId}/entitlements?limit=50',
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      {
        does: 'list_access_profiles',
        request: 'GET /v3/access-profiles?limit=50&offset=10&sorters=-created',
        ...{ least: 1, members: ['id', 'name'] },
        keep: { accessProfile: '0.id' },
      },
      {
        does: 'get_access_profile',
        request: 'GET /v3/access-profiles/{accessProfile}',
        members: ['id', 'source', 'entitlements'],
      },
      {
        does: 'list_roles',
        request: 'GET /v3/roles?limit=50&sorters=name',
        ...{ least: 1, members: ['id', 'name'] },
        keep: { role: '0.id' },
      },
      { does: 'get_role', request: 'GET /v3/roles/{role}', members: ['id', 'accessProfiles'] },
      {
        does: 'get_role_assigned_identities',
        request: 'GET /v3/roles/{role}/assigned-identities?limit=50',
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      {
        does: 'list_entitlements',
        request: 'GET /v3/entitlements?limit=50&filters=source.id eq "{sourceId}"',
        holds: ({ body }) => assert.ok(Array.isArray(body)),
      },
      {
        does: 'search',
        request: 'POST /v3/search?limit=10&count=true',
        json: { indices: ['identities'], query: { query: 'isManager:true' }, sort: ['name'] },
        ...{ least: 1, counts: true },
      },
      {
        does: 'get_identity, at a path that the vendor does not have either',
        request: 'GET /v3/public-identities/{personId}',
        status: 404,
      },
      lacks('list_workflows', 'GET /v3/workflows', 'workflows'),
      lacks('list_certification_campaigns', 'GET /v3/campaigns', 'certification campaigns'),
      lacks('list_access_requests', 'GET /v3/access-requests', 'access requests'),
      lacks('create_access_request', 'POST /v3/access-requests', 'access requests', {
        requestedFor: ['{personId}'],
        requestedItems: [{ type: 'ROLE', id: '{role}' }],
        requestType: 'GRANT_ACCESS',
      }),
    ],
  },
  {
    name: 'MCP extension for Visual Studio Code',
    kind: 'MCP server',
    readIn: 'darkedges/identitynow-mcp-vscode-extension',
    pointedBy: '`SAIL_BASE_URL`',
    calls: [
      tokenByForm,
      {
        does: 'searches identities',
        request: 'POST /v3/search',
        json: {
          indices: ['identities'],
          query: { query: 'isManager:true' },
          sort: ['name'],
          queryResultFilter: {
            includes: ['id', 'name', 'email', 'displayName', 'firstName', 'manager', 'source'],
          },
        },
        ...{ least: 1, members: ['id', 'name', 'email', 'displayName'] },
        keep: { personId: '0.id' },
      },
      {
        does: 'reads an identity below /beta',
        request: 'GET /beta/identities/{personId}',
        members: ['id', 'name', 'attributes', 'lifecycleState'],
      },
      {
        does: 'searches an index of accounts, which the vendor does not have either',
        request: 'POST /v3/search',
        json: { indices: ['accounts'], query: { term: { identityId: '{personId}' } } },
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /accounts/),
      },
      {
        does: 'sorts events by an object, which the vendor does not accept either',
        request: 'POST /v3/search',
        json: {
          indices: ['events'],
          query: { bool: { must: [{ range: { created: { gte: '{monthAgo}' } } }] } },
          sort: [{ created: { order: 'desc' } }],
        },
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /sort|query/),
      },
      {
        does: 'lists access profiles with a word in their name',
        request: 'GET /v3/access-profiles?filters=name co "a"&limit=250',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /name/),
      },
      {
        does: 'lists 250 roles, of which the specification allows 50',
        request: 'GET /v3/roles?limit=250',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /limit.* 50/),
      },
      {
        does: 'lists the entitlements with a word in their name',
        request: 'GET /beta/entitlements?filters=name co "a"&limit=250',
        status: 400,
        holds: ({ body }) => assert.match(JSON.stringify(body), /name/),
      },
      lacks('checks the connection', 'GET /v3/identity-profiles?limit=1', 'identity profiles'),
    ],
  },
];
