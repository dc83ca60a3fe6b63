import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { iscBody, nermBody, oauthBody } from './error-body.ts';
import { faultOf, WIRE } from './error-handler.ts';

test('each detail code starts with its status', () => {
  for (const [code, { status, detailCode }] of Object.entries(WIRE)) {
    assert.equal(detailCode.slice(0, 3), String(status), code);
  }
});

const FRAMEWORK: readonly [object, string][] = [
  [{ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, 'media_type_unsupported'],
  [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, 'body_too_large'],
  [{ code: 'FST_ERR_BAD_URL', statusCode: 400 }, 'parameter_malformed'],
  [{ code: 'SOMETHING_NEW', statusCode: 400 }, 'body_malformed'],
  [new TypeError('x is not a function'), 'internal'],
];
for (const [error, code] of FRAMEWORK) {
  test(`maps ${JSON.stringify(error)} to ${code}`, () => assert.equal(faultOf(error).code, code));
}

const CAUSES: readonly [string, ServiceError, readonly string[]][] = [
  ['its message if it has no causes', new ServiceError('request_invalid', 'W.'), ['W.']],
  [
    'its causes if it has some',
    new ServiceError('request_invalid', 'W.', { causes: ['a', 'b'] }),
    ['a', 'b'],
  ],
  [
    'its message with the offset',
    new ServiceError('query_malformed', 'Unclosed quote.', { offset: 7 }),
    ['Unclosed quote at offset 7'],
  ],
  [
    'its message alone if that has the offset',
    new ServiceError('query_malformed', 'Query, offset 7: open', { offset: 7 }),
    ['Query, offset 7: open'],
  ],
  ['empty for an internal error', new ServiceError('internal', 'stack and all'), []],
];
for (const [name, fault, expected] of CAUSES) {
  test(`the causes of a fault are ${name}`, () => {
    const wire = { detailCode: '400.1 x', text: 'Public sentence.' };
    assert.deepEqual(
      iscBody(fault, wire, 'id', undefined).causes.map(({ text }) => text),
      expected,
    );
  });
}

const LANGUAGES: readonly [string | undefined, string][] = [
  [undefined, 'DEFAULT'],
  ['fr', 'DEFAULT'],
  ['en-US', 'REQUEST'],
  ['fr, en;q=0.5', 'REQUEST'],
  ['en;q=0', 'DEFAULT'],
  ['en-GB', 'DEFAULT'],
];
for (const [header, origin] of LANGUAGES) {
  test(`Accept-Language ${header} makes the locale ${origin}`, () => {
    const fault = new ServiceError('not_found', 'Gone.');
    const [message] = iscBody(fault, { detailCode: '404 x' }, 'id', header).messages;
    assert.deepEqual(message, { locale: 'en-US', localeOrigin: origin, text: 'Gone.' });
  });
}

test('adds the first cause to the OAuth error description', () => {
  const fault = new ServiceError('oauth_invalid_request', 'No.', { causes: ['code is missing'] });
  assert.deepEqual(oauthBody(fault, 'invalid_request'), {
    error: 'invalid_request',
    error_description: 'No. code is missing',
  });
});

const OF_PROFILES: readonly [what: string, fault: ServiceError, body: object][] = [
  [
    'a message',
    new ServiceError('not_found', 'The requested Role was not found'),
    {
      error: 'The requested Role was not found',
    },
  ],
  [
    'a message with its causes',
    new ServiceError('forbidden', 'No.', { causes: ['why', 'how.'] }),
    {
      error: 'No. Why. How.',
    },
  ],
  [
    'errors of members',
    new ServiceError('request_invalid', 'The role failed to update', { errors: { name: ['x'] } }),
    {
      error: 'The role failed to update',
      errors: { name: ['x'] },
    },
  ],
  [
    'a body that does not parse',
    new ServiceError('body_malformed', 'W.', { causes: ['it is empty'] }),
    {
      error: 'Invalid JSON syntax. It is empty.',
    },
  ],
  [
    'too many requests',
    new ServiceError('rate_limited', 'W.', { retryAfterSeconds: 3 }),
    {
      error: 'Rate Limit Exceeded',
      message: 'Rate Limit Exceeded',
    },
  ],
  [
    'an internal error',
    new ServiceError('internal', 'stack and all'),
    {
      error: 'Sorry something went wrong',
    },
  ],
];
for (const [what, fault, body] of OF_PROFILES) {
  test(`profile management reports ${what}`, () => assert.deepEqual(nermBody(fault), body));
}

test('profile management has a message for every error code', () => {
  for (const code of Object.keys(WIRE) as ErrorCode[]) {
    assert.match(String(nermBody(new ServiceError(code, 'W.')).error), /./, code);
  }
});
