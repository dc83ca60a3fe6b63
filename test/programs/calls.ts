// Calls that many programs make alike.
import assert from 'node:assert/strict';
import type { Call } from './conversation.ts';

const keep = { token: 'access_token' } as const;

const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: '{clientId}',
  client_secret: '{clientSecret}',
} as const;

/** The request for a token that RFC 6749 describes, and most programs send. */
export const tokenByForm: Call = {
  does: 'asks for a token with its secret in a form',
  request: 'POST /oauth/token',
  form: CREDENTIALS,
  members: ['access_token', 'expires_in', 'token_type'],
  keep,
};

/** As many scripts do, and guides of the vendor show it. */
export const tokenByQuery: Call = {
  does: 'asks for a token with its secret in the query',
  request:
    'POST /oauth/token?grant_type=client_credentials&client_id={clientId}&client_secret={clientSecret}',
  members: ['access_token', 'expires_in'],
  keep,
};

export const tokenByBasic: Call = {
  does: 'asks for a token with HTTP Basic and a form',
  request: 'POST /oauth/token',
  headers: { authorization: 'Basic {basic}' },
  form: { grant_type: 'client_credentials' },
  members: ['access_token', 'expires_in'],
  keep,
};

/** As the clients for Node.js do, which then read the id of their user from the token. */
export const tokenByMultipart: Call = {
  does: 'asks for a token with its secret in a form of several parts',
  request: 'POST /oauth/token',
  headers: { 'content-type': 'multipart/form-data; boundary=part' },
  text: [
    ...Object.entries(CREDENTIALS).flatMap(([name, value]) => [
      '--part',
      `Content-Disposition: form-data; name="${name}"`,
      '',
      value,
    ]),
    '--part--',
    '',
  ].join('\r\n'),
  members: ['access_token', 'expires_in'],
  keep,
  holds({ body }, values) {
    const [, claims = ''] = String(body.access_token).split('.');
    const { identity_id } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    assert.equal(typeof identity_id, 'string');
    values['me'] = identity_id;
  },
};

/** A token for searches alone. */
export const narrowToken: Call = {
  does: 'asks for a token that may only search',
  request: 'POST /oauth/token',
  form: { ...CREDENTIALS, scope: 'sp:search:read' },
  members: ['access_token', 'expires_in', 'scope'],
  keep,
};

/** Finds somebody with accounts, whom the calls after it are about, as a person would. */
export const somebody: Call = {
  does: 'looks a person up',
  request: 'POST /v3/search?limit=1',
  json: {
    indices: ['identities'],
    query: { query: '@accounts(disabled:false) AND _exists_:manager AND NOT inactive:true' },
    sort: ['id'],
  },
  least: 1,
  keep: {
    personId: '0.id',
    person: '0.name',
    email: '0.email',
    displayName: '0.displayName',
    accountId: '0.accounts.0.id',
    account: '0.accounts.0.name',
    nativeIdentity: '0.accounts.0.accountId',
    sourceId: '0.accounts.0.source.id',
    sourceName: '0.accounts.0.source.name',
  },
};

/** Finds one document of an index, as a person would in the console of the vendor. */
export const one = (
  index: string,
  query: string,
  keep: Readonly<Record<string, string>>,
): Call => ({
  does: `knows one of the ${index}`,
  request: 'POST /v3/search?limit=1',
  json: { indices: [index], query: { query }, sort: ['id'] },
  least: 1,
  keep,
});

/** A write that Cardea does not have. @param area as the answer names it */
export function lacks(does: string, request: string, area: string, json?: unknown): Call {
  return { does, request, lacks: area, ...(json !== undefined && { json }) };
}
