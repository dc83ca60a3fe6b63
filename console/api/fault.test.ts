import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerUserOf, sessionOf } from './claims.ts';
import { asFault, faultOfAnswer, unlessEmpty } from './fault.ts';

const text = (sentence: string) => ({ locale: 'en-US', localeOrigin: 'DEFAULT', text: sentence });

const cases: readonly [string, number, unknown, string, string][] = [
  [
    'the first cause',
    400,
    { causes: [text('offset 3'), text('^')], messages: [text('bad')] },
    'refused',
    'offset 3',
  ],
  ['the message without causes', 404, { causes: [], messages: [text('gone')] }, 'missing', 'gone'],
  ['OAuth', 401, { error: 'invalid_client', error_description: 'wrong' }, 'signed-out', 'wrong'],
  [
    'profile management',
    400,
    { error: 'failed', errors: { name: ['is empty'] } },
    'refused',
    'failed',
  ],
  ['a rate limit', 429, { message: 'Rate Limit Exceeded' }, 'busy', 'Rate Limit Exceeded'],
  ['no body', 503, null, 'unavailable', 'The service responded with status 503.'],
  ['a body of another kind', 500, ['x'], 'defect', 'The service responded with status 500.'],
  ['a failed precondition', 412, null, 'changed', 'The service responded with status 412.'],
  ['a missing right', 403, { causes: [text('needs ORG_ADMIN')] }, 'forbidden', 'needs ORG_ADMIN'],
];
for (const [name, status, body, kind, message] of cases) {
  test(`takes the most exact message of a response with ${name}`, () => {
    const fault = faultOfAnswer(status, body);
    assert.deepEqual([fault.kind, fault.message], [kind, message]);
  });
}

test('keeps the other causes, the faults of members and the tracking id', () => {
  assert.deepEqual(faultOfAnswer(400, cases[0]?.[2]).causes, ['^']);
  assert.deepEqual(faultOfAnswer(400, cases[3]?.[2]).causes, ['name is empty']);
  assert.equal(faultOfAnswer(500, { trackingId: 'abc' }).trackingId, 'abc');
});

test('treats any other thrown value as a defect of the console', () => {
  const fault = faultOfAnswer(404, null);
  assert.equal(asFault(fault), fault);
  assert.equal(asFault(new Error('x')).kind, 'defect');
  assert.equal(asFault('x').message, 'x');
});

const DETAILS = { since: 0, person: null, views: null };
const tokenOf = (claims: unknown) =>
  `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

test('says a sentence once that a body repeats', () => {
  const body = { error: 'No token', message: 'No token', error_description: 'No token' };
  const { message, causes } = faultOfAnswer(401, body);
  assert.deepEqual([message, causes], ['No token', []]);
  const text = { text: 'JWT is wrong' };
  const repeated = faultOfAnswer(401, { messages: [text, text] });
  assert.deepEqual([repeated.message, repeated.causes], ['JWT is wrong', []]);
});

test('reads the user and the expiry from a token, with non-ASCII names', () => {
  const token = tokenOf({
    exp: 1_700_000_000,
    org: 'demo',
    user_name: 'ayşe.kılıç',
    identity_id: 'i1',
    authorities: ['ORG_ADMIN'],
  });
  assert.deepEqual(sessionOf(` ${token}\n`, DETAILS), {
    token,
    details: DETAILS,
    expiresAt: 1_700_000_000_000,
    org: 'demo',
    userName: 'ayşe.kılıç',
    identityId: 'i1',
    levels: ['ORG_ADMIN'],
    scopes: [],
    views: null,
  });
});

test('rejects texts that are not tokens', () => {
  for (const token of [
    '',
    'abc',
    'a.b.c',
    `h.${Buffer.from('1').toString('base64url')}.s`,
    'h..s',
  ]) {
    assert.equal(sessionOf(token, DETAILS), null, token);
  }
  assert.equal(sessionOf(tokenOf({}), DETAILS)?.identityId, null);
});

test('takes the user of a provider from the service, and the expiry from the token', () => {
  const token = tokenOf({ exp: 1_700_000_000, sub: 'x', authorities: ['ORG_ADMIN'] });
  const info = { org: 'demo', user_name: 'ada', identity_id: 'i1', authorities: ['HELPDESK'] };
  const person = providerUserOf({ ...info, credential_ends: null });
  const session = sessionOf(token, { since: 5, person, views: person.views });
  assert.equal(session?.expiresAt, 1_700_000_000_000);
  assert.deepEqual([session?.userName, session?.levels], ['ada', ['HELPDESK']]);
  // The service may accept a token for less time than the provider issued it for.
  const early = providerUserOf({ ...info, credential_ends: '2023-01-01T00:00:00.000Z' });
  const shorter = sessionOf(token, { since: 5, person: early, views: ['sales'] });
  assert.equal(shorter?.expiresAt, Date.UTC(2023, 0, 1));
  // Views change, so the details say which are in force.
  assert.deepEqual([session?.views, shorter?.views], [[], ['sales']]);
  assert.deepEqual(providerUserOf({ ...info, views: ['a', 'b'] }).views, ['a', 'b']);
});

test('an empty list that the service calls an error is empty, and no other error is', async () => {
  const fault = (status: number, error: string) => Promise.reject(faultOfAnswer(status, { error }));
  assert.deepEqual(await unlessEmpty(Promise.resolve(['a']), []), ['a']);
  assert.deepEqual(await unlessEmpty(fault(400, 'no user roles found'), []), []);
  for (const [status, error] of [
    [400, 'limit must be an integer from 1 to 500'],
    [404, 'no profiles found'],
    [400, 'status: no user found'],
  ] as const) {
    await assert.rejects(unlessEmpty(fault(status, error), []), { message: error });
  }
});
