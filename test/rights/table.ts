// What becomes of each thing that lasts when a right is lost, under the policy `strict`.
import type { Strategy } from '../../src/auth/claims.ts';
import type { UserAction } from '../../src/service/accounts/auth-user-administration.ts';
import type { SearchDelivery } from '../../src/service/ports/saved-search-records.ts';
import type { Holding } from './holdings.ts';
import type { Loss } from './losses.ts';

/**
 * `ends` and `narrows` with the next request, page, batch or attempt; on another node, or where the
 * store was changed by other means, within a second. Any other text says why it works on, or with
 * `none:` why there is no such case.
 */
export type Cell = 'ends' | 'narrows' | `works: ${string}` | `none: ${string}`;

const OWN: Cell = 'works: this service signed the token';
const CREDENTIAL: Cell = 'works: signing out ends tokens, not what new ones are requested with';
const OF_THE_OWNER: Cell = 'works: it has the rights of its owner, not those of a token';
const REFUSED_BEFORE: Cell = 'none: a view refuses it from the start';
const ISSUERS: Cell = 'none: the issuer says which ones its tokens have';
const NO_PARENT: Cell = 'none: nothing here has created it';
const NO_USER: Cell = 'none: only auth users have one';

const TOKEN = {
  ...{ disable: 'ends', delete: 'ends', 'sign-out': 'ends', revoke: 'ends' },
  ...{ level: 'ends', scope: 'ends', 'view given': 'narrows', 'view narrowed': 'narrows' },
  ...{ parent: 'ends', tenant: 'ends', issuer: OWN },
} as const satisfies Record<Loss, Cell>;
const SECRET = { ...TOKEN, 'sign-out': CREDENTIAL } as const;
const STREAM = { ...TOKEN, 'view given': 'ends', 'view narrowed': 'ends' } as const;
const RUN: Readonly<Record<Loss, Cell>> = {
  ...{ ...TOKEN, 'sign-out': OF_THE_OWNER, revoke: OF_THE_OWNER },
  ...{ scope: OF_THE_OWNER, parent: OF_THE_OWNER },
} as const;
const DELIVERY: typeof RUN = { ...RUN, 'view given': 'ends', 'view narrowed': 'ends' } as const;

export const TABLE: Readonly<Record<Holding, Readonly<Record<Loss, Cell>>>> = {
  'access token': TOKEN,
  'access token of a client': TOKEN,
  'refresh token': TOKEN,
  'external token of an auth user': {
    ...{ ...TOKEN, scope: ISSUERS, parent: NO_PARENT, issuer: 'ends' },
  },
  'external token of a stranger': {
    ...{ ...TOKEN, delete: NO_USER, level: ISSUERS, scope: ISSUERS },
    ...{ 'view given': NO_USER, 'view narrowed': NO_USER, parent: NO_PARENT, issuer: 'ends' },
  },
  'personal access token': SECRET,
  'API client': SECRET,
  'API key': { ...SECRET, 'view given': 'ends', 'view narrowed': REFUSED_BEFORE },
  'console session': TOKEN,
  assistant: TOKEN,
  'list walk': TOKEN,
  rows: STREAM,
  results: { ...STREAM, 'view narrowed': REFUSED_BEFORE },
  import: { ...STREAM, 'view narrowed': REFUSED_BEFORE },
  run: RUN,
  'e-mail': DELIVERY,
  webhook: DELIVERY,
};

/** The kinds that the code knows, with the rows that test them: a new one does not compile without. */
export const KINDS = {
  tokens: {
    pat: 'access token',
    client: 'access token of a client',
    external: 'external token of a stranger',
  } satisfies Record<Strategy, Holding>,
  deliveries: { EMAIL: 'e-mail', WEBHOOK: 'webhook' } satisfies Record<
    SearchDelivery['channel'],
    Holding
  >,
  actions: {
    disable: 'disable',
    delete: 'delete',
    'sign-out': 'sign-out',
    enable: null,
  } satisfies Record<UserAction, Loss | null>,
};

/**
 * The operations of docs/openapi.yaml that read a stream or may answer with one, with the rows that
 * test them.
 */
export const LONG_REQUESTS: Readonly<Record<string, Holding | `one answer: ${string}`>> = {
  'POST /search/rows': 'rows',
  'GET /saved-searches/{id}/runs/{runId}/results.csv': 'results',
  'POST /admin/v1/documents': 'import',
  'POST /admin/v1/auth-users': 'import',
  'POST /search/aggregate': 'one answer: it is computed as a whole',
  'GET /admin/v1/auth-users': 'one answer: it is read as a whole, up to a limit',
};
