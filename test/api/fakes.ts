// Stand-ins for everything behind the routes, so that the HTTP face is tested alone. Each answers at once and notes
// what it was asked; a test replaces the one it is about.
import { pino } from 'pino';
import type { Caller } from '../../src/auth/caller.ts';
import { parseConfig } from '../../src/config/config.ts';
import { REQUESTS } from '../../src/config/settings/requests.ts';
import { valuesOf } from '../../src/config/settings/setting.ts';
import { ServiceError } from '../../src/errors.ts';
import { buildApp, routeTable, type Services } from '../../src/http/app.ts';
import type { HttpSettings } from '../../src/http/options.ts';
import { pathsOf } from '../../src/http/requests/path-versions.ts';
import type { SourceLine } from '../../src/json/json-source.ts';
import type { CollectionParameters } from '../../src/query/collections/collection-page.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type {
  ApiKeyView,
  ClientView,
  TokenView,
} from '../../src/service/credentials/credential-kinds.ts';
import type { ListedField } from '../../src/service/fields/fields.ts';
import type { ImportReport } from '../../src/service/imports/documents.ts';
import {
  ASSIGNED_IDENTITIES,
  ENTITLEMENTS,
  type ListResource,
} from '../../src/service/lists/list-resources.ts';
import type { ListPage } from '../../src/service/lists/lists.ts';
import type { Json } from '../../src/service/lists/shapes/members.ts';
import type { Job } from '../../src/service/ports/profile-records.ts';
import type { AuthUser } from '../../src/service/ports/store.ts';
import { resourceMissing } from '../../src/service/profiles/resources/faults.ts';
import {
  DASHBOARD,
  known,
  namedView,
  SAVED_SEARCH,
  SCHEDULED_SEARCH,
  SEARCH_DELIVERY,
  SEARCH_RUN,
  VIEW,
} from './fake-searches.ts';

export const USER_ID = '7f3c0d51aa9e4b0c9d5be01f22c4a6e8';

export const authUser: AuthUser = {
  tenant: 'demo',
  id: USER_ID,
  uid: 'ines.okafor',
  profile: '2b7c1d5be01f4b0c9d5aa9e7f3c0d51f',
  identificationNumber: null,
  email: 'ines@demo.test',
  phone: null,
  workPhone: null,
  personalEmail: null,
  firstname: 'Ines',
  lastname: 'Okafor',
  displayName: 'Ines Okafor',
  alias: 'ines.okafor',
  lastPasswordChangeDate: null,
  lastLoginTimestamp: 0,
  currentLoginTimestamp: 0,
  lastUnlockTimestamp: null,
  capabilities: ['HELPDESK'],
};

const token: TokenView = {
  id: '0c9d5be01f22c4a67f3c0d51aa9e4be8',
  name: 'laptop',
  scope: ['sp:scopes:all'],
  owner: { type: 'IDENTITY', id: USER_ID, name: 'ines.okafor' },
  created: '2026-03-04T05:06:07.000Z',
  lastUsed: null,
  managed: false,
  accessTokenValiditySeconds: 43200,
  expirationDate: '2026-09-04T05:06:07.000Z',
  userAwareTokenNeverExpires: false,
};

const FIELD: ListedField = {
  ...{ index: 'identities', name: 'attributes.grade', kind: 'long', documents: 3 },
  ...{ examples: ['7'], since: '2026-03-04T05:06:07.000Z' },
};

const caller = (change: Partial<Caller>): Caller => ({
  tenantId: 'tenant-1',
  views: null,
  current: async () => caller(change),
  ownerCapabilities: [],
  identityId: USER_ID,
  userName: 'ines.okafor',
  clientId: 'client-1',
  scopes: ['sp:scopes:all'],
  capabilities: ['ORG_ADMIN'],
  personalTokenId: 'client-1',
  credentialEnds: Number.POSITIVE_INFINITY,
  tokenId: 'token-1',
  ...change,
});

/** Tokens the fake knows: `Bearer NAME`. */
const CALLERS: Readonly<Record<string, Caller>> = {
  admin: caller({}),
  other: caller({ clientId: 'client-2' }),
  nobody: caller({ capabilities: [] }),
  narrow: caller({ scopes: ['sp:search:read'] }),
  app: caller({ identityId: null, userName: null, capabilities: [] }),
};

export const hit = {
  id: 'i-1',
  name: 'ines.okafor',
  type: 'identity',
  _type: 'identity',
  _version: 'v2',
  pod: 'local',
  org: 'demo',
};

/** What all kinds of records are here. */
const PROFILE = {
  ...{ id: 'profile-1', uid: 'ines', name: 'Ines Okafor', profile_type_id: 'type-1' },
  ...{ status: 'Active', id_proofing_status: null, archived: false },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  attributes: { first_name: 'Ines' },
};
const SEARCH = {
  ...{ id: '7c0ffee0-0000-4000-8000-000000000007', uid: 'leaving', label: 'Leaving soon' },
  condition_rules_attributes: [
    {
      ...{ id: '7c0ffee0-0000-4000-8000-000000000008', uid: 'first', type: 'ProfileStatusRule' },
      ...{ comparison_operator: '==', value: 'Active' },
    },
  ],
};

const JOB: Job = {
  ...{ id: '64f0c1d2e3b4a59687766554', status: 'complete', jobType: 'import', jobData: [] },
  created: '2026-01-01T00:00:00.000Z',
};

export const LEVEL = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  uid: 'high',
  label: 'High',
  order: 3,
  points: 90,
};

const CREATED = '2026-03-04T05:06:07.000Z';

export const OAUTH_CLIENT: ClientView = {
  ...{ id: 'c0ffee00000040008000000000000003', name: 'export', description: '', businessName: '' },
  ...{ homepageUrl: '', accessTokenValiditySeconds: 750, refreshTokenValiditySeconds: 86_400 },
  ...{ redirectUris: [], grantTypes: ['CLIENT_CREDENTIALS'], accessType: 'OFFLINE' },
  ...{ type: 'CONFIDENTIAL', internal: false, enabled: true, strongAuthSupported: false },
  ...{ claimsSupported: false, created: CREATED, modified: CREATED },
  ...{ secret: null, metadata: null, lastUsed: null, scope: ['sp:search:read'] },
};

export const API_KEY: ApiKeyView = {
  id: 'c0ffee00-0000-4000-8000-000000000002',
  name: 'nightly script',
  ...{ scope: 'read', expires: null, owner: { id: USER_ID, name: 'Ines Okafor' }, lastUsed: null },
  created: '2026-03-04T05:06:07.000Z',
};

/** What an import of no lines comes to. */
export const IMPORTED_NOTHING: ImportReport = {
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  faults: [],
  warned: 0,
  warnings: [],
  sequence: 7,
};

async function countLines(lines: AsyncIterable<SourceLine>): Promise<ImportReport> {
  let created = 0;
  const faults: { line: number; reason: string }[] = [];
  for await (const { line, fault } of lines) {
    if (fault === undefined) created++;
    else faults.push({ line, reason: fault });
  }
  return { ...IMPORTED_NOTHING, created, failed: faults.length, faults };
}

async function* csvPieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('id\r\ni-1\r\n');
}

export const LISTED_ID = 'listed-1';
const CHECKED = { rows: [], checked: 0, faults: [], warnings: [] };
const SOURCE = { id: LISTED_ID, name: 'HR', owner: null, connector: '', authoritative: false };

/** The object of a list whose document has an id and nothing else. */
function listed({ shape }: ListResource): Json {
  const document = { id: LISTED_ID };
  return shape(document, document, { detail: true });
}

function pageOf(object: Json, { count }: CollectionParameters): ListPage {
  return { objects: [object], total: count === 'true' ? 1 : null };
}

function ifListed(id: string, object: Json): Json {
  if (id !== LISTED_ID) throw new ServiceError('not_found', 'There is no such object.');
  return object;
}

/** Fakes of all services; `change` replaces members of single ones. */
export function fakeServices(
  change: { readonly [K in keyof Services]?: Partial<Services[K]> } = {},
): Services {
  const services: Services = {
    tokens: {
      issue: async (parameters, basic) => ({
        access_token: 'a.b.c',
        token_type: 'bearer',
        expires_in: 43199,
        scope: 'sp:scopes:all',
        tenant_id: 'tenant-1',
        org: 'demo',
        pod: 'local',
        internal: false,
        strong_auth: true,
        strong_auth_supported: true,
        claims_supported: false,
        enabled: true,
        jti: 'token-1',
        echo: { ...parameters, basic },
      }),
      async verify(authorization) {
        if (authorization === undefined) throw new ServiceError('token_missing', 'No token.');
        const known = CALLERS[authorization.replace('Bearer ', '')];
        if (known === undefined) throw new ServiceError('token_invalid', 'JWT validation failed.');
        return known;
      },
      introspect: async () => ({ active: false }),
      revoke: async () => {},
      jwks: async () => ({
        keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'k', x: 'x', y: 'y' }],
      }),
      userInfo: async ({ identityId, userName, clientId, capabilities, scopes }) => ({
        sub: identityId ?? clientId,
        tenant_id: 'tenant-1',
        org: 'demo',
        identity_id: identityId,
        user_name: userName,
        client_id: clientId,
        authorities: capabilities,
        scope: scopes,
        credential_ends: null,
      }),
      info: async (baseUrl) => ({
        tenantId: 'tenant-1',
        tenantName: 'demo',
        authorizeEndpoint: `${baseUrl}/oauth/authorize`,
        tokenEndpoint: `${baseUrl}/oauth/token`,
        cloudDomainUrl: baseUrl,
        logoutUrl: `${baseUrl}/logout`,
        pod: 'local',
      }),
    },
    apiKeyCheck: {
      async verify(key) {
        const known = CALLERS[key];
        if (known === undefined) throw new ServiceError('token_invalid', 'The API key is unknown.');
        return known;
      },
    },
    apiKeys: {
      list: async () => ({ items: [API_KEY], total: null }),
      get: async () => API_KEY,
      patch: async () => API_KEY,
      create: async () => ({ ...API_KEY, apiKey: `ne-${'0'.repeat(32)}` }),
      async remove(_caller, id) {
        if (id !== API_KEY.id) throw new ServiceError('not_found', 'There is no such API key.');
      },
    },
    authUsers: {
      async get(_caller, id) {
        if (id !== USER_ID) throw new ServiceError('not_found', 'There is no such auth user.');
        return { user: authUser, etag: '"1"' };
      },
      patch: async () => ({ user: authUser, etag: '"2"' }),
    },
    authUserAdministration: {
      async get(_caller, id) {
        if (id !== USER_ID) throw new ServiceError('not_found', 'There is no such auth user.');
        return { ...authUser, enabled: true, tokensValidFrom: null, view: null };
      },
      create: async () => ({ ...authUser, enabled: true, tokensValidFrom: null, view: null }),
      patch: async () => ({ ...authUser, enabled: false, tokensValidFrom: null, view: null }),
      remove: async () => {},
      signOut: async () => {},
      signOutSelf: async () => {},
    },
    accessPaths: { of: async (_caller, id) => ({ id, name: null, access: [] }) },
    authUserDirectory: {
      list: async () => ({
        users: [{ ...authUser, enabled: true, tokensValidFrom: null, view: null }],
        total: 1,
      }),
      holdersCsv: async () => ({ csv: 'capability,id\r\n', total: 1, isWhole: true }),
      history: async () => ({ entries: [], total: 0 }),
    },
    personalAccessTokens: {
      list: async () => ({ items: [token], total: null }),
      get: async () => token,
      create: async () => ({ ...token, secret: 's'.repeat(64) }),
      patch: async () => token,
      async remove(_caller, id) {
        if (id !== token.id) throw new ServiceError('not_found', 'There is no such token.');
      },
    },
    oauthClients: {
      list: async () => ({ items: [OAUTH_CLIENT], total: null }),
      async get(_caller, id) {
        if (id !== OAUTH_CLIENT.id) throw new ServiceError('not_found', 'There is no such client.');
        return OAUTH_CLIENT;
      },
      create: async () => ({ ...OAUTH_CLIENT, secret: 's'.repeat(64) }),
      patch: async () => OAUTH_CLIENT,
      async remove(_caller, id) {
        if (id !== OAUTH_CLIENT.id) throw new ServiceError('not_found', 'There is no such client.');
      },
    },
    documents: {
      importDocuments: async (_tenant, lines) => countLines(lines),
      mergeDocuments: async (_tenant, lines) => countLines(lines),
      mapping: async (_tenant, index) => staticMapping(index, { name: 'acme', pod: '' }),
      importAuthUsers: async (_tenant, lines) => countLines(lines),
      checkDocuments: async () => CHECKED,
      checkAuthUsers: async () => CHECKED,
      remove: async (_tenant, _index, id) => id === 'i-1',
    },
    lists: {
      page: async (_caller, resource, values) => pageOf(listed(resource), values),
      get: async (_caller, resource, id) => ifListed(id, listed(resource)),
      accountEntitlements: async (_caller, _id, values) => pageOf(listed(ENTITLEMENTS), values),
      heldEntitlements: async (_caller, _resource, _id, values) =>
        pageOf(listed(ENTITLEMENTS), values),
      assignedIdentities: async (_caller, _id, values) =>
        pageOf(listed(ASSIGNED_IDENTITIES), values),
      sources: async (_caller, values) => pageOf(SOURCE, values),
      source: async (_caller, id) => ifListed(id, SOURCE),
    },
    search: {
      search: async (_caller, _body, { count }) => ({
        total: count === 'true' ? 1 : null,
        body: [Buffer.from(JSON.stringify([hit]))],
        warnings: [],
      }),
      searchIndex: async (_caller, index, _body, { count }) => {
        if (index !== 'events') throw new ServiceError('not_found', 'There is no such index.');
        return {
          ...{ total: count === 'true' ? 1 : null, warnings: [] },
          body: [Buffer.from(JSON.stringify([hit]))],
        };
      },
      count: async () => ({ total: 12345, warnings: [] }),
      rows: async (_caller, _body, { count }) => ({
        total: count === 'true' ? 0 : null,
        warnings: [],
        headers: [],
        chunks: (async function* () {
          yield { bytes: Buffer.from('[]\n'), rows: 0 };
        })(),
      }),
      async explain(_caller, _body, { id }) {
        if (id !== undefined) throw new ServiceError('not_found', 'There is no such document.');
        return {
          queryType: 'SAILPOINT',
          plan: 'rows: 0 + 250',
          targets: [],
          shared: [],
          freeWords: {},
          filters: [],
          sort: [],
          page: { from: 0, size: 250 },
          source: { includes: [], excludes: [], nested: true },
          warnings: [],
          unknownFields: {},
          matched: 0,
          milliseconds: { plan: 0.1, search: 0.2, fetch: 0, count: 0 },
        };
      },
      aggregate: async (_caller, _body, { count }, accepted) => ({
        total: count === 'true' ? 1 : null,
        form: accepted === 'json' ? 'json' : 'csv',
        body: [
          Buffer.from(
            accepted === 'json'
              ? JSON.stringify({ aggregations: {}, hits: [hit] })
              : 'City,Count\n',
          ),
        ],
        warnings: [],
      }),
      async get(_caller, _index, id) {
        if (id !== 'i-1') throw new ServiceError('not_found', 'There is no such document.');
        return [Buffer.from('{"id":"i-1","name":"ines.okafor"}')];
      },
    },
    savedSearches: {
      create: async () => SAVED_SEARCH,
      list: async (_caller, parameters) => ({
        items: [SAVED_SEARCH],
        total: parameters?.count === 'true' ? 1 : null,
      }),
      get: async (_caller, id) => known(SAVED_SEARCH, id),
      replace: async (_caller, id) => known(SAVED_SEARCH, id),
      async remove(_caller, id) {
        known(SAVED_SEARCH, id);
      },
      async execute(_caller, id) {
        known(SAVED_SEARCH, id);
      },
    },
    scheduledSearches: {
      create: async () => SCHEDULED_SEARCH,
      list: async (_caller, parameters) => ({
        items: [SCHEDULED_SEARCH],
        total: parameters?.count === 'true' ? 1 : null,
      }),
      get: async (_caller, id) => known(SCHEDULED_SEARCH, id),
      replace: async (_caller, id) => known(SCHEDULED_SEARCH, id),
      async remove(_caller, id) {
        known(SCHEDULED_SEARCH, id);
      },
      async unsubscribe(_caller, id) {
        known(SCHEDULED_SEARCH, id);
      },
    },
    dashboards: {
      create: async () => ({ dashboard: DASHBOARD, etag: '"d"' }),
      async list(_caller, parameters) {
        const { tiles: _, ...summary } = DASHBOARD;
        return { items: [summary], total: parameters?.count === 'true' ? 1 : null };
      },
      get: async (_caller, id) => ({ dashboard: known(DASHBOARD, id), etag: '"d"' }),
      async replace(_caller, id, _body, _signal, _warn, ifMatch) {
        if (ifMatch !== undefined) throw new ServiceError('precondition_failed', 'Changed.');
        return { dashboard: known(DASHBOARD, id), etag: '"d"' };
      },
      async remove(_caller, id, ifMatch) {
        if (ifMatch !== undefined) throw new ServiceError('precondition_failed', 'Changed.');
        known(DASHBOARD, id);
      },
    },
    views: {
      list: async () => [VIEW],
      create: async () => ({ view: VIEW, hints: ['"phone" is hidden'] }),
      get: async (_caller, name) => namedView(name),
      replace: async (_caller, name) => ({ view: namedView(name), hints: [] }),
      async remove(_caller, name) {
        namedView(name);
      },
    },
    fields: {
      list: async () => [FIELD],
      set: async () => FIELD,
    },
    searchRuns: {
      list: async () => ({ items: [SEARCH_RUN], total: null }),
      get: async (_caller, _id, runId) => known(SEARCH_RUN, runId),
      async csv(_caller, _id, runId) {
        known(SEARCH_RUN, runId);
        return csvPieces();
      },
      deliveries: async () => ({ items: [SEARCH_DELIVERY], total: 1 }),
    },
    resources: {
      list: async () => ({ rows: [LEVEL], total: 1 }),
      async get(_caller, _kind, id) {
        if (id !== LEVEL.id) throw resourceMissing('Risk Level');
        return LEVEL;
      },
      create: async () => LEVEL,
      createMany: async () => [LEVEL],
      update: async () => LEVEL,
      updateMany: async () => [LEVEL],
      remove: async () => LEVEL,
      removeMany: async () => ({ records: [LEVEL] }),
    },
    profiles: {
      list: async () => ({ rows: [PROFILE], total: 1 }),
      async get(_caller, id) {
        if (id !== PROFILE.id) throw resourceMissing('Profile');
        return PROFILE;
      },
      create: async () => PROFILE,
      createMany: async () => [PROFILE],
      update: async () => PROFILE,
      updateMany: async () => [PROFILE],
      remove: async () => {},
      removeMany: async () => ({ profiles: [PROFILE] }),
      misplacedIn: async () => [],
      async job(_caller, id) {
        if (id !== JOB.id) throw resourceMissing('Job');
        return JOB;
      },
    },
    advancedSearches: {
      list: async () => ({ rows: [SEARCH], total: 1 }),
      async get(_caller, id) {
        if (id !== SEARCH.id) throw resourceMissing('Advanced Search');
        return SEARCH;
      },
      create: async () => SEARCH,
      edit: async () => SEARCH,
      remove: async () => {},
      run: async () => ({ rows: [PROFILE], total: 1 }),
      runOnce: async () => ({ rows: [PROFILE], total: 1 }),
    },
    status: {
      unreadyReasons: async () => [],
      warnings: async () => [],
      lastSequence: async () => 7,
      waitUntilSearchable: async () => {},
    },
    node: {
      of: async () => ({
        node: {
          ...{ id: 'c0ffee00-0000-4000-8000-000000000003', version: '0.1.0', uptimeSeconds: 5 },
          ...{
            store: 'postgres',
            search: 'opensearch',
            threads: 1,
            feeds: false,
            testing: false,
          },
        },
        lag: { seconds: 0, changes: null, lastSequence: null, appliedSequence: null },
        indexes: [
          {
            ...{ index: 'roles', documents: 3, deleted: null, refused: null, segments: 1 },
            ...{ bytesOnDisk: 4_096, bytesInMemory: null },
          },
        ],
        threads: null,
        merges: null,
        caches: null,
        damagedDocuments: [],
        moreDamagedDocuments: 0,
        retention: { eventsPurgedBefore: null },
        backup: { last: null, everySeconds: null, failed: null },
        activity: { seconds: 5, requests: 2, searches: 1, writes: 0 },
      }),
    },
    mirror: {
      of: async () => ({
        source: 'https://acme.api.identitynow.com/',
        ...{ profilesSource: null, authUsers: 'none', running: null },
        ...{ copiedAt: CREATED, lagSeconds: 60, error: null },
        parts: [
          {
            ...{ name: 'roles', here: 3, there: 3, copiedAt: CREATED, sweptAt: null },
            ...{ walk: null, refused: 1, refusals: [{ id: 'r1', reason: 'id is missing' }] },
          },
        ],
        runs: [],
        limits: [],
      }),
    },
    activity: { count: () => {} },
    testPowers: {
      faults: () => ({ seed: 1, faults: [] }),
      setFaults: () => ({ seed: 1, faults: [] }),
      requests: () => ({ total: 0, requests: [] }),
      forgetRequests: () => {},
      advice: () => [],
      clock: () => ({ now: CREATED, mode: 'real' }),
      setClock: async () => ({ now: CREATED, mode: 'real' }),
      takeSnapshot: async () => ({ id: 'c0ffee00-0000-4000-8000-000000000004', documents: 3 }),
      restoreSnapshot: async () => {},
      deleteSnapshot: () => {},
      reset: async () => {},
    },
  };
  for (const [name, members] of Object.entries(change)) {
    Object.assign(services[name as keyof Services] ?? {}, members);
  }
  return services;
}

/** An application over fakes, without its documentation pages and silent. */
export function fakeApp(
  change: Parameters<typeof fakeServices>[0] = {},
  options: Partial<HttpSettings> = {},
) {
  return buildApp(fakeServices(change), { ...SETTINGS, ...options });
}

/** The endpoints of an application over fakes, under the path of each version. */
export function fakeRoutes(options: Partial<HttpSettings> = {}) {
  return routeTable(fakeServices(), { ...SETTINGS, documentation: true, ...options }).flatMap(
    (endpoint) => pathsOf(endpoint.path).map((path) => ({ ...endpoint, path })),
  );
}

/** A log that keeps quiet. */
export const silent = pino({ level: 'silent' });

export const SETTINGS: HttpSettings = {
  ...valuesOf(REQUESTS, parseConfig({})),
  log: silent,
  clock: { now: () => Date.now() },
  tls: null,
  strictTransport: false,
  publicUrl: null,
  secretsInQuery: false,
  rateLimit: null,
  rateCounter: null,
  addressCounter: null,
  idleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  trustedProxies: [],
  maxProfileReads: 256,
  scheduler: null,
  collectionEnvelope: 'array',
  corsOrigins: [],
  documentation: false,
  meter: null,
  tracer: null,
  observer: null,
  metricsPage: null,
  console: { idleSeconds: 3_600, sessionSeconds: 43_200, openid: null, sendsEmail: false },
  mcp: false,
  version: '0.0.0',
};

export const asAdmin = { authorization: 'Bearer admin' };
export const json = { 'content-type': 'application/json' };
