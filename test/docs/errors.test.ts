// docs/errors.md is in step with the errors: its examples are answers to real requests, each answer leads to its row, and
// every reason of a refused token, of a 403 and of a 503 has a row.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CAUSES, ERROR_HELP } from '../../scripts/error-catalogue.ts';
import { errorsDoc } from '../../scripts/generate-errors-doc.ts';
import { readMarkdown } from '../../scripts/guide/markdown.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { type RunningService, startService } from '../support/service.ts';

const page = readFileSync('docs/errors.md', 'utf8');
let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_SECRETS_IN_QUERY: 'off' });
});
after(() => service.stop());

test('docs/errors.md is what its table says, and short', () => {
  assert.equal(page, errorsDoc(), 'run node dist/scripts/generate-errors-doc.js');
  assert.ok(page.length < 10 * 1024, `${page.length} characters`);
});

test('every error has an anchor of its own', () => {
  const { anchors } = readMarkdown(page);
  for (const code of Object.keys(ERROR_HELP)) assert.ok(anchors.has(code), code);
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the token of the administrator. */
  readonly anonymous?: true;
}
const PATCH = { 'content-type': 'application/json-patch+json' };
const search = (query: string, parameters = ''): Sent => ({
  ...{ method: 'POST', path: `/v2025/search${parameters}` },
  body: { indices: ['identities'], query: { query } },
});
const patch = (path: string, value: unknown, headers = {}): Sent => ({
  ...{ method: 'PATCH', path: `/v2025/auth-users/${service.adminId}` },
  ...{ body: [{ op: 'replace', path, value }], headers: { ...PATCH, ...headers } },
});
const tokenRequest = (parameters: Record<string, string>): Sent => {
  const { clientId, clientSecret } = service;
  const form = { client_id: clientId, client_secret: clientSecret, ...parameters };
  return {
    ...{ method: 'POST', path: '/oauth/token', anonymous: true },
    ...{ body: new URLSearchParams(form).toString() },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
};

/** A request that gets the example of each error that a request alone can cause. */
const REQUESTS: Partial<Readonly<Record<ErrorCode, () => Sent>>> = {
  body_malformed: () => ({
    ...search('*'),
    body: { indices: 'identities', query: { query: '*' } },
  }),
  body_too_large: () => ({ ...search('*'), body: { text: 'a'.repeat(1_100_000) } }),
  media_type_unsupported: () => ({
    ...search('*'),
    headers: { 'content-type': 'application/xml' },
  }),
  parameter_malformed: () => ({ method: 'GET', path: '/v2025/identities/%zz' }),
  request_invalid: () => ({
    ...search('*'),
    body: { indices: ['people'], query: { query: '*' } },
  }),
  query_malformed: () => search('name:(ada'),
  limit_exceeded: () => search('*', '?offset=10000&limit=1'),
  illegal_update: () => patch('/email', 'ada@acme.test'),
  illegal_value: () => patch('/capabilities', ['KING']),
  precondition_failed: () => patch('/capabilities', ['ORG_ADMIN'], { 'if-match': '"earlier"' }),
  token_missing: () => ({ method: 'GET', path: '/v2025/identities', anonymous: true }),
  token_invalid: () => ({
    ...{ method: 'GET', path: '/v2025/identities', anonymous: true },
    headers: { authorization: 'Bearer nonsense' },
  }),
  oauth_invalid_request: () => ({
    ...tokenRequest({}),
    body: 'grant_type=client_credentials',
  }),
  oauth_invalid_client: () =>
    tokenRequest({ grant_type: 'client_credentials', client_secret: 'wrong' }),
  oauth_unauthorized_client: () =>
    tokenRequest({ grant_type: 'refresh_token', refresh_token: 'none' }),
  oauth_unsupported_grant_type: () => tokenRequest({ grant_type: 'password' }),
  oauth_invalid_scope: () => tokenRequest({ grant_type: 'client_credentials', scope: 'none' }),
  not_found: () => ({ method: 'GET', path: '/v2025/search/identities/nobody' }),
  route_not_found: () => ({ method: 'GET', path: '/v2025/workflows' }),
  method_not_allowed: () => ({ method: 'DELETE', path: '/v2025/identities' }),
};

for (const [code, request] of Object.entries(REQUESTS)) {
  test(`a request that causes ${code} gets the example, and a link to the row`, async () => {
    const { method, path, body, headers = {}, anonymous } = request();
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(anonymous ? {} : { authorization: `Bearer ${await service.token()}` }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    });
    assert.equal(answer.headers.get('link'), `</docs/guide/errors#${code}>; rel="help"`);
    const {
      causes = [],
      error_description,
      error,
    } = (await answer.json()) as {
      causes?: readonly { text: string }[];
      error_description?: string;
      error?: string;
    };
    const said = causes[0]?.text ?? error_description ?? error ?? '';
    assert.match(said, patternOf(ERROR_HELP[code as ErrorCode].example));
  });
}

test('a good answer has no link', async () => {
  const answer = await service.call('GET', '/v2025/identities');
  assert.equal(answer.headers.get('link'), null);
});

const TEXT = String.raw`('(?:[^'\\]|\\.)*'|${'`[^`]*`'})`;
/** What comes before the sentences of each code, in files whose errors a request can cause, unlike a start or a restore. */
const SENTENCES: Readonly<Record<string, readonly (readonly [files: RegExp, before: RegExp])[]>> = {
  token_invalid: [
    [/^(?:auth|service\/credentials)\/(?!outbound)/, /\brefused\(|'token_invalid',/],
    [/^auth\/jwt\.ts$/, /\breturn| [?:]/],
  ],
  forbidden: [
    [/^(?:auth|http|service)\//, /'forbidden',/],
    [/^auth\/access\.ts$/, /return/],
  ],
  unavailable: [
    [/^(?:auth|backends|http\/(?!certificate)|scheduling|service)\//, /'unavailable',/],
    [
      /^store\/(?:postgres\/(?!postgres-store)|profiles|records|sealing\/sealed|sql\/)/,
      /'unavailable',/,
    ],
    [/^store\/postgres\/postgres-errors\.ts$/, /\[(?:'\w+'|[A-Z_]+),(?=\s*'[A-Z][a-z])/],
    [/^store\/sqlite\/(?:sqlite-driver|store-place)\.ts$/, /'unavailable',/],
    [
      /^http\/admission\/(?:answers|body-pool|places)\.ts$/,
      /(?:total|group|member):(?: \(name\) =>)?/,
    ],
  ],
};
/** Messages of errors whose causes have the rows. */
const WITH_CAUSES = ['JWT validation failed: 1', 'The token does not grant this operation.'];

for (const { code, rows } of CAUSES) {
  test(`every sentence of ${code} has a row, and each row a sentence`, () => {
    const patterns = rows.flatMap(([causes]) => causes.map(patternOf));
    const unused = new Set(patterns);
    const lost: string[] = [];
    for (const [file, sentence] of sentencesOf(code)) {
      const matching = patterns.filter((pattern) => pattern.test(sentence));
      if (matching.length === 0) lost.push(`${file}: ${sentence}`);
      for (const pattern of matching) unused.delete(pattern);
    }
    assert.deepEqual(lost, []);
    assert.deepEqual([...unused], []);
  });
}

function sentencesOf(code: ErrorCode): [file: string, sentence: string][] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  return (SENTENCES[code] ?? []).flatMap(([where, before]) =>
    files
      .filter((file) => where.test(file))
      .flatMap((file): [string, string][] => {
        const text = readFileSync(join('src', file), 'utf8');
        const found = text.matchAll(new RegExp(String.raw`(?:${before.source})\s*${TEXT}`, 'g'));
        return [...found]
          .map(([, literal = '']) => literal.slice(1, -1))
          .map((literal) => literal.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '1'))
          .filter((sentence) => !WITH_CAUSES.includes(sentence))
          .map((sentence) => [file, sentence]);
      }),
  );
}

/** … stands for any text. */
function patternOf(sentence: string): RegExp {
  const parts = sentence.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
