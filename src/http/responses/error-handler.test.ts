import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { iscBody, nermBody, oauthBody } from './error-body.ts';
import { faultOf, WIRE } from './error-handler.ts';

test('each fault begins its detail code with its status', () => {
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
  test(`${JSON.stringify(error)} is ${code}`, () => assert.equal(faultOf(error).code, code));
}

const CAUSES: readonly [string, ServiceError, readonly string[]][] = [
  ['its sentence where it has no causes', new ServiceError('request_invalid', 'W.'), ['W.']],
  [
    'its causes where it has some',
    new ServiceError('request_invalid', 'W.', { causes: ['a', 'b'] }),
    ['a', 'b'],
  ],
  [
    'its sentence with the offset',
    new ServiceError('query_malformed', 'Unclosed quote.', { offset: 7 }),
    ['Unclosed quote at offset 7'],
  ],
  [
    'an offset told once',
    new ServiceError('query_malformed', 'Query, offset 7: open', { offset: 7 }),
    ['Query, offset 7: open'],
  ],
  ['nothing for a defect of ours', new ServiceError('internal', 'stack and all'), []],
];
for (const [name, fault, expected] of CAUSES) {
  test(`the causes of a fault are ${name}`, () => {
    const wire = { detailCode: '400.1 x', text: 'Known sentence.' };
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

test('OAuth gets one sentence more when there is a cause', () => {
  const fault = new ServiceError('oauth_invalid_request', 'No.', { causes: ['code is missing'] });
  assert.deepEqual(oauthBody(fault, 'invalid_request'), {
    error: 'invalid_request',
    error_description: 'No. code is missing',
  });
});

const OF_PROFILES: readonly [what: string, fault: ServiceError, body: object][] = [
  [
    'a sentence',
    new ServiceError('not_found', 'The requested Role was not found'),
    {
      error: 'The requested Role was not found',
    },
  ],
  [
    'a sentence with its causes',
    new ServiceError('forbidden', 'No.', { causes: ['why', 'how.'] }),
    {
      error: 'No. Why. How.',
    },
  ],
  [
    'what is wrong with members',
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
    'a defect of ours',
    new ServiceError('internal', 'stack and all'),
    {
      error: 'Sorry something went wrong',
    },
  ],
];
for (const [what, fault, body] of OF_PROFILES) {
  test(`profile management tells ${what}`, () => assert.deepEqual(nermBody(fault), body));
}

test('profile management has a sentence for every fault', () => {
  for (const code of Object.keys(WIRE) as ErrorCode[]) {
    assert.match(String(nermBody(new ServiceError(code, 'W.')).error), /./, code);
  }
});
