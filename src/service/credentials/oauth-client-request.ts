// Parses requests for API clients: the body that creates one and the JSON Patch that changes one.
// Members, types and patchable members are those of the published client library
// (`CreateOAuthClientRequest`, `patchOauthClient` of its class `OAuthClientsApi`). Pure functions.
import { ServiceError } from '../../errors.ts';
import type { PatchOperation } from '../../json/json-patch.ts';
import type { OAuthClient } from '../ports/store.ts';
import {
  DEFAULT_VALIDITY_SECONDS,
  LONGEST_VALIDITY_SECONDS,
  type MemberFaults,
  membersOf,
  patchedMembers,
  readFlag,
  readName,
  readScope,
  readSeconds,
  readTexts,
  readViewName,
  wrongType,
} from './credential-members.ts';

/** The members of an API client that a JSON Patch may change. */
const PATCHABLE = [
  'name',
  'description',
  'businessName',
  'homepageUrl',
  'accessTokenValiditySeconds',
  'refreshTokenValiditySeconds',
  'redirectUris',
  'grantTypes',
  'accessType',
  'enabled',
  'strongAuthSupported',
  'claimsSupported',
] as const satisfies readonly (keyof OAuthClient)[];
export type ChangeableClient = Pick<OAuthClient, (typeof PATCHABLE)[number]>;

/** The checked members of a new API client. */
export interface ClientRequest extends ChangeableClient {
  /** null when the request has none. */
  readonly scope: readonly string[] | null;
  /** The view that it is restricted to; null: none. */
  readonly view: string | null;
}

/** Default seconds that a refresh token may stay unused: 30 days. */
export const DEFAULT_REFRESH_SECONDS = 2_592_000;
/** Maximum that a client can set: 90 days. */
export const LONGEST_REFRESH_SECONDS = 7_776_000;
export const GRANT_TYPES = ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN', 'AUTHORIZATION_CODE'] as const;

const ACCESS_TYPES = ['ONLINE', 'OFFLINE'] as const;
/** Members that a patch must not remove, because their defaults would be surprising. */
const NOT_REMOVABLE: readonly (keyof ChangeableClient)[] = [
  'accessTokenValiditySeconds',
  'refreshTokenValiditySeconds',
  'grantTypes',
  'accessType',
  'enabled',
];

const MAX_TEXT_LENGTH = 2_000;
const MAX_URI_LENGTH = 2_000;
const MAX_REDIRECT_URIS = 20;

/** Control characters other than tab and line ends, and lone surrogates. */
const UNPRINTABLE = /[^\P{Cc}\t\n\r]|\p{Cs}/u;

/** A wrong type is a malformed request in a body, and a wrong value in the result of a patch. */
const OF_BODY: MemberFaults = { type: wrongType, value: illegalClient };
const OF_PATCH: MemberFaults = { type: illegalClient, value: illegalClient };

/**
 * Parses the body that creates an API client; null counts as omitted, unknown members are ignored.
 * @throws ServiceError `request_invalid` for a wrong type, `illegal_value` for a wrong value
 */
export function readClientRequest(body: unknown): ClientRequest {
  const members = membersOf(body);
  const type = members.get('type') ?? 'CONFIDENTIAL';
  if (type !== 'CONFIDENTIAL') {
    throw illegalClient('type: only CONFIDENTIAL clients can be created, since each has a secret');
  }
  if (readFlag('internal', members.get('internal'), OF_BODY) === true) {
    throw illegalClient('internal: must be false or left out');
  }
  return {
    ...readChangeable(members, OF_BODY),
    scope: readScope(members.get('scope'), OF_BODY),
    view: readViewName(members.get('view'), OF_BODY),
  };
}

/**
 * Applies a patch to a client.
 * @throws ServiceError `illegal_update` for another member, `illegal_value` for a wrong result
 */
export function patchClient(
  client: OAuthClient,
  operations: readonly PatchOperation[],
): OAuthClient {
  const members = patchedMembers(changeableMembers(client), operations, PATCHABLE, OF_PATCH);
  for (const member of NOT_REMOVABLE) {
    if ((members.get(member) ?? null) === null) {
      throw illegalClient(`${member}: a value is needed`);
    }
  }
  return { ...client, ...readChangeable(members, OF_PATCH) };
}

/** The members that a patch may change. */
export function changeableMembers(client: ChangeableClient): ChangeableClient {
  return Object.fromEntries(
    PATCHABLE.map((member) => [member, client[member]]),
  ) as unknown as ChangeableClient;
}

/** The error for a value that is not allowed; `cause` names the member and the reason. */
function illegalClient(cause: string): ServiceError {
  return new ServiceError('illegal_value', 'The API client is not valid.', {
    causes: [cause],
  });
}

function readChangeable(
  members: ReadonlyMap<string, unknown>,
  faults: MemberFaults,
): ChangeableClient {
  const text = (member: string) => readText(member, members.get(member), faults);
  const seconds = (member: string, max: number) =>
    readSeconds(member, members.get(member), max, faults);
  const flag = (member: string) => readFlag(member, members.get(member), faults);
  const grantTypes = readGrantTypes(members.get('grantTypes'), faults);
  const redirectUris = readRedirectUris(members.get('redirectUris'), faults);
  if (grantTypes.includes('AUTHORIZATION_CODE') && redirectUris.length === 0) {
    throw faults.value('redirectUris: the grant type AUTHORIZATION_CODE needs at least one');
  }
  return {
    name: readName(members.get('name'), faults),
    description: text('description'),
    businessName: text('businessName'),
    homepageUrl: readHomepage(text('homepageUrl'), faults),
    accessTokenValiditySeconds:
      seconds('accessTokenValiditySeconds', LONGEST_VALIDITY_SECONDS) ?? DEFAULT_VALIDITY_SECONDS,
    refreshTokenValiditySeconds:
      seconds('refreshTokenValiditySeconds', LONGEST_REFRESH_SECONDS) ?? DEFAULT_REFRESH_SECONDS,
    redirectUris,
    grantTypes,
    accessType: readAccessType(members.get('accessType'), faults),
    enabled: flag('enabled') ?? true,
    strongAuthSupported: flag('strongAuthSupported') ?? false,
    claimsSupported: flag('claimsSupported') ?? false,
  };
}

/**
 * A client without CLIENT_CREDENTIALS could never get its first token: there is no sign-in page.
 */
function readGrantTypes(value: unknown, faults: MemberFaults): string[] {
  const grantTypes = readTexts('grantTypes', value, faults) ?? ['CLIENT_CREDENTIALS'];
  const offered: readonly string[] = GRANT_TYPES;
  const unknown = grantTypes.find((grantType) => !offered.includes(grantType));
  if (unknown !== undefined) {
    throw faults.value(
      `grantTypes: ${JSON.stringify(unknown.slice(0, 100))} is none of ${GRANT_TYPES.join(', ')}`,
    );
  }
  if (!grantTypes.includes('CLIENT_CREDENTIALS')) {
    throw faults.value(
      'grantTypes: CLIENT_CREDENTIALS must be among them, or the client could never get a token',
    );
  }
  return [...new Set(grantTypes)];
}

function readAccessType(value: unknown, faults: MemberFaults): 'ONLINE' | 'OFFLINE' {
  if (value === undefined || value === null) return 'OFFLINE';
  if (typeof value !== 'string') throw faults.type('accessType: a string is needed');
  const accessType = ACCESS_TYPES.find((type) => type === value);
  if (accessType === undefined) throw faults.value(`accessType: one of ${ACCESS_TYPES.join(', ')}`);
  return accessType;
}

/** Absolute URIs without a fragment (RFC 6749 section 3.1.2). */
function readRedirectUris(value: unknown, faults: MemberFaults): string[] {
  const uris = readTexts('redirectUris', value, faults) ?? [];
  if (uris.length > MAX_REDIRECT_URIS) {
    throw faults.value(`redirectUris: at most ${MAX_REDIRECT_URIS}`);
  }
  const bad = uris.findIndex(
    (uri) => uri.length > MAX_URI_LENGTH || uri.includes('#') || !isUri(uri),
  );
  if (bad !== -1) {
    throw faults.value(
      `redirectUris: item ${bad} is not an absolute URI without a fragment, at most ${MAX_URI_LENGTH} characters`,
    );
  }
  return [...new Set(uris)];
}

/** A link that a user interface may show, so only http and https are allowed. */
function readHomepage(text: string, faults: MemberFaults): string {
  if (text === '' || (/^https?:\/\//i.test(text) && isUri(text))) return text;
  throw faults.value('homepageUrl: an http or https URL is needed');
}

/**
 * Omitted means empty: the published Python client cannot parse null in the response with the
 * secret.
 */
function readText(member: string, value: unknown, faults: MemberFaults): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw faults.type(`${member}: a string is needed`);
  if (value.length > MAX_TEXT_LENGTH || UNPRINTABLE.test(value)) {
    throw faults.value(`${member}: at most ${MAX_TEXT_LENGTH} printable characters`);
  }
  return value;
}

function isUri(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && URL.canParse(text);
}
