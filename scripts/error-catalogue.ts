// What docs/errors.md says of each error: an example of its cause, why it happens, and what to do. A code without a row
// does not compile; a reason of a token, a refusal or a 503 that no row names fails test/docs/errors.test.ts.
import type { ErrorCode } from '../src/errors.ts';

/** What a reader needs to know of an error. */
export interface ErrorHelp {
  /** A cause, or the message where the answer has no causes; … stands for what varies. */
  readonly example: string;
  readonly why: string;
  /** What to do, in Markdown. */
  readonly fix: string;
}

/** Causes of an error, with … for what varies, and what to do about them, in Markdown. */
export type CauseHelp = readonly [causes: readonly string[], fix: string];

type GroupTitle = 'Requests' | 'Access' | 'Resources and server';

/** Every code, by group. */
export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp & { readonly group: GroupTitle }>> = {
  body_malformed: {
    group: 'Requests',
    example: 'indices: expected an array of strings, such as ["identities"]',
    why: 'the body is no JSON, or a member has the wrong type',
    fix: 'send what the cause expects there',
  },
  body_too_large: {
    group: 'Requests',
    example: 'more than 1048576 bytes',
    why: 'the body is over its [limit](limits.md)',
    fix: 'send less at a time',
  },
  body_too_slow: {
    group: 'Requests',
    example: 'The body did not arrive in time.',
    why: 'the client sends too slowly, or stopped',
    fix: 'send it at once, on a new connection',
  },
  media_type_unsupported: {
    group: 'Requests',
    example: 'Content-Type application/xml is not supported here; send …',
    why: 'the type or coding of the body is not accepted',
    fix: 'send one that the cause names',
  },
  not_acceptable: {
    group: 'Requests',
    example: '…; or send Accept: application/json',
    why: 'only CSV is accepted, and the result is no table',
    fix: 'accept JSON',
  },
  parameter_malformed: {
    group: 'Requests',
    example: 'The path has invalid percent-encoding.',
    why: 'the URL is not encoded well',
    fix: 'encode each part: a blank is `%20`',
  },
  request_invalid: {
    group: 'Requests',
    example: 'indices[0]: "people" is none of …',
    why: 'a value is not allowed',
    fix: 'change the one that the cause names',
  },
  query_malformed: {
    group: 'Requests',
    example: 'Query string, offset 9: unexpected end of the query, …',
    why: 'a [query](search.md), filter or pattern does not parse',
    fix: 'look at the offset; quote special characters',
  },
  limit_exceeded: {
    group: 'Requests',
    example: 'More than 10000 rows in …; the limit is CARDEA_MAX_WINDOW',
    why: 'the request is over a [limit](limits.md)',
    fix: 'ask for less, or change the setting',
  },
  deadline_exceeded: {
    group: 'Requests',
    example: 'The query was stopped after 10 s: …',
    why: 'the query took too long',
    fix: 'narrow it; [explain](explain.md) shows what takes time',
  },
  illegal_update: {
    group: 'Requests',
    example: 'path "/email"',
    why: 'this member cannot be patched',
    fix: 'patch what the message names',
  },
  illegal_value: {
    group: 'Requests',
    example: '"KING" is not a known capability',
    why: 'the value is not allowed, or a `test` failed',
    fix: 'send another; after a `test`, read again',
  },
  limit_violation: {
    group: 'Requests',
    example: 'at most …; delete those that are not used',
    why: 'there are as many as [may be](limits.md)',
    fix: 'delete some first',
  },
  precondition_failed: {
    group: 'Requests',
    example: 'The auth user has changed since it was read.',
    why: '`If-Match` names an earlier state',
    fix: 'read again, and send the new `ETag`',
  },
  token_missing: {
    group: 'Access',
    example: 'An access token is needed: Authorization: Bearer …',
    why: 'there is no token',
    fix: 'get one at `/oauth/token`: [api.md](api.md)',
  },
  token_invalid: {
    group: 'Access',
    example: 'JWT validation failed: not a signed JWT',
    why: 'the token or API key is not accepted',
    fix: 'see [refused tokens](#refused-tokens)',
  },
  forbidden: {
    group: 'Access',
    example: 'This operation needs one of the levels …',
    why: 'a level, a scope or a view does not allow it',
    fix: 'see [refused operations](#refused-operations)',
  },
  rate_limited: {
    group: 'Access',
    example: 'Rate Limit Exceeded',
    why: 'too many requests of a client, or wrong secrets of an address',
    fix: 'wait the seconds of `Retry-After`: [limits.md](limits.md)',
  },
  oauth_invalid_request: {
    group: 'Access',
    example: 'The parameter client_id is missing.',
    why: 'a parameter is missing, or a secret is in the URL',
    fix: 'send a form with all parameters',
  },
  oauth_invalid_client: {
    group: 'Access',
    example: 'The client id or secret is wrong, or …',
    why: 'the credential is unknown, expired or disabled',
    fix: 'compare both, or create a new one',
  },
  oauth_invalid_grant: {
    group: 'Access',
    example: 'The refresh token is unknown, was used before, …',
    why: 'refresh tokens and sign-in links work once',
    fix: 'use the newest, or sign in again',
  },
  oauth_unauthorized_client: {
    group: 'Access',
    example: 'This client may not use the grant type refresh_token.',
    why: 'the client lacks this grant type',
    fix: 'use another [client](api-clients.md)',
  },
  oauth_unsupported_grant_type: {
    group: 'Access',
    example: 'The grant types offered are …',
    why: 'there is no sign-in by password or code',
    fix: 'send one that the message names',
  },
  oauth_invalid_scope: {
    group: 'Access',
    example: 'The credential has none of the requested scopes. …',
    why: '`scope` only narrows a token',
    fix: 'leave it out, or give the credential the scope',
  },
  not_found: {
    group: 'Resources and server',
    example: 'index "identities", id "nobody"',
    why: 'it does not exist, or you may not see it',
    fix: 'look for it with a search or a list',
  },
  route_not_found: {
    group: 'Resources and server',
    example: 'workflows: Cardea does not have this area of the public API (workflows)',
    why: 'the path is misspelt, or Cardea does not have it',
    fix: 'see the [differences](differences.md)',
  },
  method_not_allowed: {
    group: 'Resources and server',
    example: 'the path supports GET, HEAD',
    why: 'the path has other methods',
    fix: 'use one of the header `Allow`',
  },
  unavailable: {
    group: 'Resources and server',
    example: 'Too many searches of this client are running. Try again later.',
    why: 'no room now, or a part does not work',
    fix: 'see [why a server refuses](#why-a-server-refuses)',
  },
  cancelled: {
    group: 'Resources and server',
    example: 'The client went away.',
    why: 'the client closed the connection; only the log has it',
    fix: 'let the client wait longer',
  },
  internal: {
    group: 'Resources and server',
    example: 'An internal fault occurred.',
    why: 'a defect of Cardea',
    fix: 'report it, with the line of the log that has the `trackingId`',
  },
};

/** Tables of causes, each about one code. */
export const CAUSES: readonly {
  readonly title: string;
  readonly code: ErrorCode;
  readonly rows: readonly CauseHelp[];
}[] = [
  {
    title: 'Refused tokens',
    code: 'token_invalid',
    rows: [
      [['JWT is expired', 'the token was revoked'], 'get a new token'],
      [['the user has signed out since'], 'sign in again'],
      [['not a signed JWT…'], 'send the whole `access_token`, after `Bearer` and a blank'],
      [['JWT is not valid yet'], 'set the clock of the issuer, or of this machine'],
      [
        ['the signature does not match', 'the signing key is unknown', 'the tenant is unknown'],
        'get a token of this server; of an issuer, check `jwksUrl` and the tenant',
      ],
      [
        ['the claim … is missing or wrong', 'the claim … is no id that a request could name'],
        'have the issuer send it, or map it in [CARDEA_EXTERNAL_ISSUERS](configuration.md)',
      ],
      [
        ['the issuer is unknown', 'the issuer does not speak for this tenant'],
        'add the issuer, spelt as in `iss`, or the tenant to CARDEA_EXTERNAL_ISSUERS',
      ],
      [
        ['the type in the header is not that of an access token', 'the header … is not accepted'],
        'send an access token, not an ID token',
      ],
      [
        [
          'the algorithm is not accepted',
          'the key id is not usable',
          'the token does not say which key signed it',
        ],
        'have the issuer sign as RS256 or ES256, with a short `kid`',
      ],
      [
        ['the credential …', 'The API key …'],
        'have it enabled, or create a new one; look at its owner',
      ],
      [['the user behind the token is …'], 'have the auth user enabled or created'],
    ],
  },
  {
    title: 'Refused operations',
    code: 'forbidden',
    rows: [
      [
        ['This operation needs one of the levels …'],
        'have an administrator give you, or the owner, a [level](who-may-do-what.md)',
      ],
      [['This operation needs one of the scopes …'], 'use a credential with the scope'],
      [
        ['This operation needs the token of a user, not of an API client.'],
        'use a personal access token',
      ],
      [
        ['This operation needs an access token, not an API key.', 'The socket takes no API keys.'],
        'get a token at `/oauth/token`',
      ],
      [
        ['This operation is not available through a view…'],
        'have it done by somebody without a [view](views.md)',
      ],
      [
        ['A credential cannot have more scopes …', 'A credential cannot outlive …'],
        'create it with a token that has as much, or see [CARDEA_TOKEN_POLICY](configuration.md)',
      ],
      [['Only …'], 'have the user that it names do it'],
      [['What you may see has changed: begin again.'], 'read again from the first page'],
      [['An event of the audit trail cannot be deleted.'], 'nothing: [retention](observe.md) does'],
      [['Pages of this origin may not call /mcp.'], 'add the origin to CARDEA_CORS_ORIGINS'],
      [['This server has no powers for tests.'], 'start it with `CARDEA_TESTING=on`'],
    ],
  },
  {
    title: 'Why a server refuses',
    code: 'unavailable',
    rows: [
      [
        ['Too many … are running…', 'Too many … being read…', 'Too many … waiting to be read …'],
        'send fewer at a time and read the answers; the [shares](run.md#shares-and-quotas) are settings',
      ],
      [
        ['Too many writes wait for the store.', 'Too many documents change now…'],
        'send it again later; `CARDEA_STORE_WAIT_MS` is the longest wait',
      ],
      [
        ['The change is stored but was not searchable within …'],
        'do not send it again; search later',
      ],
      [
        ['The search index is being rebuilt', 'The search index must be fed again …'],
        'wait until `/ready` is 200',
      ],
      [
        ['The service is stopping', '… is closed…', '… thread …'],
        'send it again, to another node; the log says why',
      ],
      [['OpenSearch is not available'], 'look at OpenSearch and [the cluster](cluster.md)'],
      [['Another program has changed the search index'], 'find it by the log; the index is mended'],
      [['Another node feeds the search…'], 'send it to that node'],
      [
        ['… is damaged…', 'The file … of the store was removed …'],
        'run `cardea doctor`: [backup.md](backup.md)',
      ],
      [
        ['… database…', 'The transaction rested …', 'Another process changed …'],
        'send it again; look at PostgreSQL, `CARDEA_STORE_POOL` and the log',
      ],
      [['The signing key …'], 'start it with the secrets key of the store'],
      [
        ['The token cannot be checked now…', 'Could not fetch …'],
        'look whether the issuer answers',
      ],
      [['Tokens are being ended…'], 'send it again'],
      [['Deletions since the snapshot are no longer recorded…'], 'take a new snapshot'],
    ],
  },
];
