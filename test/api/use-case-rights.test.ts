// Each use case that has a caller refuses one without its right, whichever way the caller came in.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Caller } from '../../src/auth/caller.ts';
import type { Services } from '../../src/http/app.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import type { Documents } from '../../src/service/imports/documents.ts';
import { ENTITLEMENTS, OF_ROLES } from '../../src/service/lists/list-resources.ts';
import type { Search } from '../../src/service/searching/search.ts';
import { type RunningService, startService } from '../support/service.ts';

/** What serves requests without checking rights of a caller. */
type WithoutRights =
  | 'tokens'
  | 'apiKeyCheck'
  | 'status'
  | 'node'
  | 'mirror'
  | 'activity'
  | 'testPowers';

type Cases = Omit<Services, WithoutRights | 'documents' | 'search'> & {
  readonly documents: Pick<
    Documents,
    'importDocuments' | 'mergeDocuments' | 'importAuthUsers' | 'importProfiles' | 'remove'
  >;
  // Checking a search reads nothing; what stores it has a right of its own.
  readonly search: Omit<Pick<Search, keyof Search>, 'checker'>;
};

/** The arguments after the caller, of every method of every use case. */
type Calls = {
  readonly [Name in keyof Cases]: { readonly [Method in keyof Cases[Name]]: unknown[] };
};

const credentials = { list: [], get: ['x'], create: [{}], patch: ['x', []], remove: ['x'] };
const owned = { create: [{}], list: [], get: ['x'], replace: ['x', {}], remove: ['x'] };
const many = { createMany: [{}], updateMany: [{}], removeMany: [{}] };
const none = async function* () {};

const CALLS: Calls = {
  personalAccessTokens: credentials,
  oauthClients: credentials,
  apiKeys: credentials,
  authUsers: { get: ['x'], patch: ['x', []] },
  authUserAdministration: {
    ...{ create: [{}], get: ['x'], patch: ['x', []], remove: ['x'] },
    ...{ signOut: ['x'], signOutSelf: [] },
  },
  authUserDirectory: { list: [{}], holdersCsv: [{}], history: ['x', {}] },
  documents: {
    ...{ importDocuments: [none()], importAuthUsers: [none()], importProfiles: [none()] },
    mergeDocuments: [none(), { index: 'identities', match: null }],
    remove: ['roles', 'x'],
  },
  search: {
    ...{ search: [{}, {}], searchIndex: ['roles', {}, {}], count: [{}], rows: [{}, {}, 'json'] },
    ...{ aggregate: [{}, {}, 'json'], explain: [{}, {}], get: ['roles', 'x'] },
    ...{ walk: [{}, { size: 1 }], shownColumns: ['roles'] },
  },
  lists: {
    ...{ page: [ENTITLEMENTS, {}], get: [ENTITLEMENTS, 'x'], accountEntitlements: ['x', {}] },
    ...{ assignedIdentities: ['x', {}], heldEntitlements: [OF_ROLES, 'x', {}] },
    ...{ sources: [{}], source: ['x'] },
  },
  savedSearches: { ...owned, execute: ['x', {}] },
  scheduledSearches: { ...owned, unsubscribe: ['x', {}] },
  searchRuns: { list: ['x'], get: ['x', 'y'], csv: ['x', 'y'], deliveries: ['x'] },
  dashboards: owned,
  views: owned,
  fields: { list: [{}], set: ['roles', 'x', {}] },
  accessPaths: { of: ['x'] },
  resources: {
    ...{ list: ['attribute', {}], get: ['attribute', 'x'], remove: ['attribute', 'x'] },
    ...{ create: ['attribute', {}], update: ['attribute', 'x', {}] },
    ...{ createMany: ['attribute', {}], updateMany: ['attribute', {}] },
    removeMany: ['attribute', {}],
  },
  profiles: {
    ...{ ...many, list: [{}], get: ['x'], create: [{}], update: ['x', {}], remove: ['x'] },
    ...{ misplacedIn: [{}, 'profile'], job: ['x'] },
  },
  advancedSearches: {
    ...{ list: [{}], get: ['x'], create: [{}], edit: ['x', {}], remove: ['x'] },
    ...{ run: ['x', {}], runOnce: [{}, {}] },
  },
};

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** Callers without rights, by what they are. */
const CALLERS: Readonly<Record<string, Partial<Caller>>> = {
  'an API client without scopes': { identityId: null, userName: null, scopes: [] },
  'an API key without scopes': { identityId: null, userName: null, scopes: [], apiKey: true },
};

describe('every use case refuses', () => {
  for (const [what, members] of Object.entries(CALLERS)) {
    for (const [name, methods] of Object.entries(CALLS)) {
      for (const [method, parameters] of Object.entries(methods)) {
        test(`${what}: ${name}.${method}`, async () => {
          const caller = { ...operatorOf(service.tenantId), capabilities: [], ...members };
          const { cardea } = service;
          const all = { ...cardea.services, documents: cardea.documents } as unknown as Record<
            string,
            Record<string, (...parameters: unknown[]) => unknown>
          >;
          const call = async () => {
            const answer = await all[name]?.[method]?.(caller, ...parameters);
            // A walk begins with its first page.
            await (answer as Partial<AsyncGenerator> | undefined)?.next?.();
          };
          await assert.rejects(call, {
            code: 'forbidden',
            message: 'The token does not grant this operation.',
          });
        });
      }
    }
  }
});
