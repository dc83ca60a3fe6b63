// The commands of the credentials of a tenant: what differs between personal access tokens, API clients
// and API keys, as one row for each kind. What they do is in credential-command.ts.
import type { Command } from 'commander';
import { API_KEY_SCOPES } from '../../service/credentials/api-key-request.ts';
import { apiKeyScope } from '../../service/credentials/credential-kinds.ts';
import {
  DEFAULT_REFRESH_SECONDS,
  GRANT_TYPES,
  LONGEST_REFRESH_SECONDS,
} from '../../service/credentials/oauth-client-request.ts';
import type { AuthUser, CredentialKind, CredentialOf, Tenant } from '../../service/ports/store.ts';
import { addFlag, addTenantFlag, integer } from '../common/command-line.ts';
import { instantOf } from '../common/instant.ts';

/** Flags of `create`, of all kinds. */
export interface CreateFlags {
  readonly name?: string;
  readonly tenant?: string;
  readonly owner?: string;
  readonly description?: string;
  /** One for an API key, several for the others. */
  readonly scope?: string | readonly string[];
  readonly grant?: readonly string[];
  readonly validity?: number;
  readonly refreshValidity?: number;
  readonly expires?: string;
  readonly view?: string;
  readonly json?: boolean;
}

/** A credential as `--json` prints it. */
export type Shown = Readonly<Record<string, unknown>>;

export interface CredentialCommand<K extends CredentialKind> {
  readonly kind: K;
  readonly command: string;
  readonly summary: string;
  readonly description?: string;
  /** The credential in the help, such as `key`. */
  readonly noun: string;
  /** The credential in messages, such as `API client`. */
  readonly named: string;
  /** True if each has an owner, by whom a list can be filtered. */
  readonly hasOwner: boolean;
  readonly createSummary: string;
  readonly listSummary: string;
  readonly deleteSummary: string;
  /** Adds the flags of `create`, but for `--json`. */
  addFlags(command: Command): void;
  /** The body that creates one. */
  body(flags: CreateFlags): Readonly<Record<string, unknown>>;
  /** @param secret that of a new one; null in lists */
  shown(credential: CredentialOf<K>, secret: string | null, owner: AuthUser | null): Shown;
  /** The columns of a line of the list. */
  columns(credential: CredentialOf<K>, owner: AuthUser | null): readonly string[];
  /** The end of the sentence `For …` about a new one: its holder and its expiry. */
  terms(credential: CredentialOf<K>, tenant: Tenant, owner: AuthUser | null): string;
}

const VALIDITY = integer(15, 43_200);

export const PERSONAL_ACCESS_TOKENS: CredentialCommand<'pat'> = {
  ...{ kind: 'pat', command: 'pat', noun: 'token', named: 'personal access token', hasOwner: true },
  summary: 'Create, list and delete personal access tokens',
  createSummary: 'Create a personal access token for an auth user',
  listSummary: 'List the personal access tokens of a tenant, without their secrets',
  deleteSummary: 'Delete a personal access token; its access tokens are refused from then on',
  addFlags(command) {
    command
      .option('--owner <id|uid>', 'Id or login of the auth user (required)')
      .option('--name <text>', 'Name of the token, unique for its owner (required)');
    addTenantFlag(command, 'owner').option(
      '--scope <scope...>',
      'Scopes of the token [default: sp:scopes:all]',
    );
    const validity = 'Lifetime of access tokens issued for it [default: 43200]';
    addFlag(command, '--validity <seconds>', validity, VALIDITY)
      .option('--expires <date|never>', 'When it expires [default: in six months]')
      .option('--view <name>', 'View that the token is restricted to');
  },
  body: ({ name, scope, validity, expires, view }) => ({
    ...{ name, scope, view, accessTokenValiditySeconds: validity },
    ...(expires !== undefined && {
      userAwareTokenNeverExpires: true,
      expirationDate: instantOf(expires),
    }),
  }),
  shown({ id: clientId, name, ownerId, scope, created, expires, lastUsed, view }, secret, owner) {
    const restricted = restriction(view);
    const expirationDate = expires;
    if (secret !== null) {
      return {
        clientId,
        clientSecret: secret,
        owner: ownerId,
        scope,
        expirationDate,
        ...restricted,
      };
    }
    const shown = { clientId, name, owner: owner?.uid ?? null, ownerId, scope, created };
    return { ...shown, expirationDate, lastUsed, ...restricted };
  },
  columns: ({ id, created, expires, lastUsed, ownerId, name, view }, owner) => [
    ...[id, created, ...timesOf(expires, lastUsed), owner?.uid ?? ownerId, name, ...viewOf(view)],
  ],
  terms: ({ ownerId, expires, view }, _tenant, owner) =>
    `${owner?.uid ?? ownerId}${restrictionOf(view)}, until ${expires ?? 'it is deleted'}. The secret`,
};

export const API_CLIENTS: CredentialCommand<'client'> = {
  ...{ kind: 'client', command: 'client', noun: 'client', named: 'API client', hasOwner: false },
  summary: 'Create, list and delete API clients',
  description:
    'Create, list and delete API clients: credentials of programs that act for themselves',
  createSummary: 'Create an API client, whose tokens belong to no user',
  listSummary: 'List the API clients of a tenant, without their secrets',
  deleteSummary: 'Delete an API client; its tokens are refused from then on',
  addFlags(command) {
    command.option('--name <text>', 'Name of the client (required)');
    addTenantFlag(command, 'client')
      .option('--description <text>', 'Purpose of the client')
      .option('--scope <scope...>', 'What its tokens may do [default: sp:scopes:all]')
      .option(
        '--grant <type...>',
        `How it gets tokens: ${GRANT_TYPES.slice(0, 2).join(', ')} [default: ${GRANT_TYPES[0]}]`,
      );
    const validity = 'How long an access token lasts [default: 43200]';
    addFlag(command, '--validity <seconds>', validity, VALIDITY);
    addFlag(
      command,
      '--refresh-validity <seconds>',
      `How long a refresh token may stay unused [default: ${DEFAULT_REFRESH_SECONDS}]`,
      integer(15, LONGEST_REFRESH_SECONDS),
    );
    command.option('--view <name>', 'View that the client is restricted to');
  },
  body: ({ name, description, scope, grant, validity, refreshValidity, view }) => ({
    ...{ view, name, description, scope },
    grantTypes: grant?.map((type) => type.toUpperCase()),
    accessTokenValiditySeconds: validity,
    refreshTokenValiditySeconds: refreshValidity,
  }),
  shown({ id, name, grantTypes, scope, enabled, created, lastUsed, view }, secret) {
    const shown = { name, grantTypes, scope, enabled, created, lastUsed, ...restriction(view) };
    return { clientId: id, ...(secret !== null && { clientSecret: secret }), ...shown };
  },
  columns: ({ id, created, enabled, name, view }) => [
    ...[id, created, enabled ? 'enabled ' : 'disabled', name, ...viewOf(view)],
  ],
  terms: ({ id, view }, { name }) =>
    `the tenant ${name}${restrictionOf(view)}, until cardea client delete ${id}. The secret`,
};

export const API_KEYS: CredentialCommand<'key'> = {
  ...{ kind: 'key', command: 'api-key', noun: 'key', named: 'API key', hasOwner: false },
  summary: 'Create, list and delete API keys of profile management',
  createSummary: 'Create an API key for profile management',
  listSummary: 'List the API keys of a tenant, without the keys themselves',
  deleteSummary: 'Delete an API key; requests with it are refused from then on',
  addFlags(command) {
    command.option('--name <text>', 'Purpose of the key (required)');
    addTenantFlag(command, 'key')
      .option(
        '--scope <scope>',
        `Rights of the key: ${API_KEY_SCOPES.join(', ')} [default: manage]`,
      )
      .option('--expires <date|never>', 'When it expires [default: never]')
      .option('--owner <id|uid>', 'Id or login of the auth user who owns it');
  },
  body: ({ name, scope, expires }) => ({
    ...{ name, scope },
    ...(expires !== undefined && { expires: instantOf(expires) }),
  }),
  shown(key, secret) {
    const { id, name, created, expires, ownerId, lastUsed } = key;
    const shown = { name, created, scope: apiKeyScope(key), expires, ownerId, lastUsed };
    return { id, ...(secret !== null && { apiKey: secret }), ...shown };
  },
  columns: (key) => [
    ...[key.id, key.created, apiKeyScope(key).padEnd('manage'.length)],
    ...[...timesOf(key.expires, key.lastUsed), key.name],
  ],
  terms: (key, { name }) =>
    `the tenant ${name}, to ${apiKeyScope(key)}, until ${key.expires ?? `cardea api-key delete ${key.id}`}. The key`,
};

/** When a credential ends, and was used, as columns. */
function timesOf(ends: string | null, lastUsed: string | null): readonly string[] {
  return [
    ends === null ? 'does not expire' : `expires ${ends}`,
    lastUsed === null ? 'never used' : `last used ${lastUsed}`,
  ];
}

/** The view that a credential is restricted to, as a member, as a column, and in a sentence. */
function restriction(view: string | null): { readonly view?: string } {
  return view === null ? {} : { view };
}

function viewOf(view: string | null): readonly string[] {
  return view === null ? [] : [`view ${view}`];
}

function restrictionOf(view: string | null): string {
  return view === null ? '' : `, restricted to the view ${view}`;
}
