// Bodies and patches of API clients, case by case: what is accepted, and the cause of each
// rejection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { readPatch } from '../../json/json-patch.ts';
import type { OAuthClient } from '../ports/store.ts';
import { patchClient, readClientRequest } from './oauth-client-request.ts';

const DEFAULTS = {
  view: null,
  name: 'export',
  description: '',
  businessName: '',
  homepageUrl: '',
  accessTokenValiditySeconds: 43_200,
  refreshTokenValiditySeconds: 2_592_000,
  redirectUris: [],
  grantTypes: ['CLIENT_CREDENTIALS'],
  accessType: 'OFFLINE',
  enabled: true,
  strongAuthSupported: false,
  claimsSupported: false,
  scope: null,
};

function refusal(work: () => unknown): [code: string, cause: string] {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return [error.code, error.details.causes?.[0] ?? ''];
  }
  assert.fail('nothing was refused');
}

test('requires only a name, and treats null as omitted', () => {
  assert.deepEqual(readClientRequest({ name: ' export ' }), DEFAULTS);
  const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((member) => [member, null]));
  assert.deepEqual(
    readClientRequest({ ...nulls, type: null, internal: null, name: 'export' }),
    DEFAULTS,
  );
});

test('accepts the example of the public specification', () => {
  const example = {
    ...{
      businessName: 'Acme-Solar',
      homepageUrl: 'http://localhost:12345',
      name: 'Demo',
      description: 'd',
    },
    ...{ accessTokenValiditySeconds: 750, refreshTokenValiditySeconds: 86_400 },
    ...{ redirectUris: ['http://localhost:12345', 'com.acme.app:/back'], accessType: 'ONLINE' },
    ...{
      grantTypes: ['AUTHORIZATION_CODE', 'CLIENT_CREDENTIALS', 'REFRESH_TOKEN'],
      enabled: false,
    },
    ...{ strongAuthSupported: true, claimsSupported: true, scope: ['demo:first', 'demo:second'] },
  };
  const sent = { ...example, type: 'CONFIDENTIAL', internal: false };
  assert.deepEqual(readClientRequest(sent), { ...example, view: null });
});

test('ignores unknown members and those that the service sets', () => {
  const sent = {
    name: 'export',
    id: 'mine',
    secret: 's',
    secretHash: 'h',
    created: 'c',
    lastUsed: 'l',
  };
  assert.deepEqual(readClientRequest({ ...sent, tenant: 'other', x: 1 }), DEFAULTS);
});

test('removes duplicate grant types, scopes and URIs', () => {
  const twice = (text: string) => [text, text];
  const request = readClientRequest({
    ...{ name: 'n', grantTypes: twice('CLIENT_CREDENTIALS'), scope: twice('a') },
    redirectUris: twice('http://a'),
  });
  assert.deepEqual(request.grantTypes, ['CLIENT_CREDENTIALS']);
  assert.deepEqual(request.scope, ['a']);
  assert.deepEqual(request.redirectUris, ['http://a']);
});

const TYPES: readonly (readonly [body: unknown, cause: string])[] = [
  [null, 'the body must be an object'],
  [[], 'the body must be an object'],
  ['x', 'the body must be an object'],
  [{}, 'name: a string is needed'],
  [{ name: null }, 'name: a string is needed'],
  [{ name: 1 }, 'name: a string is needed'],
  [{ name: 'n', description: 1 }, 'description: a string is needed'],
  [{ name: 'n', businessName: [] }, 'businessName: a string is needed'],
  [
    { name: 'n', accessTokenValiditySeconds: '750' },
    'accessTokenValiditySeconds: an integer is needed',
  ],
  [
    { name: 'n', accessTokenValiditySeconds: 15.5 },
    'accessTokenValiditySeconds: an integer is needed',
  ],
  [
    { name: 'n', refreshTokenValiditySeconds: {} },
    'refreshTokenValiditySeconds: an integer is needed',
  ],
  [{ name: 'n', redirectUris: 'http://a' }, 'redirectUris: an array of strings is needed'],
  [{ name: 'n', redirectUris: [1] }, 'redirectUris: an array of strings is needed'],
  [{ name: 'n', grantTypes: 'CLIENT_CREDENTIALS' }, 'grantTypes: an array of strings is needed'],
  [{ name: 'n', grantTypes: [null] }, 'grantTypes: an array of strings is needed'],
  [{ name: 'n', accessType: 1 }, 'accessType: a string is needed'],
  [{ name: 'n', enabled: 'true' }, 'enabled: a boolean is needed'],
  [{ name: 'n', internal: 0 }, 'internal: a boolean is needed'],
  [{ name: 'n', scope: 'sp:search:read' }, 'scope: an array of strings is needed'],
];
for (const [body, cause] of TYPES) {
  test(`the body ${JSON.stringify(body)} has a wrong type`, () => {
    assert.deepEqual(
      refusal(() => readClientRequest(body)),
      ['request_invalid', cause],
    );
  });
}

const NO_FIRST_TOKEN =
  'grantTypes: CLIENT_CREDENTIALS must be among them, or the client could never get a token';
const KNOWN = 'CLIENT_CREDENTIALS, REFRESH_TOKEN, AUTHORIZATION_CODE';
const NO_URI =
  'redirectUris: item 0 is not an absolute URI without a fragment, at most 2000 characters';

const VALUES: readonly (readonly [members: object, cause: string])[] = [
  [{ name: ' ' }, 'name: 1 to 255 printable characters are needed'],
  [{ name: 'x'.repeat(256) }, 'name: 1 to 255 printable characters are needed'],
  [{ name: 'a\nb' }, 'name: 1 to 255 printable characters are needed'],
  [{ description: 'x'.repeat(2_001) }, 'description: at most 2000 printable characters'],
  [{ description: 'a\u0007' }, 'description: at most 2000 printable characters'],
  [{ homepageUrl: 'javascript:alert(1)' }, 'homepageUrl: an http or https URL is needed'],
  [{ homepageUrl: 'acme.test' }, 'homepageUrl: an http or https URL is needed'],
  [{ accessTokenValiditySeconds: 14 }, 'accessTokenValiditySeconds: from 15 to 43200'],
  [{ accessTokenValiditySeconds: 43_201 }, 'accessTokenValiditySeconds: from 15 to 43200'],
  [{ accessTokenValiditySeconds: -1 }, 'accessTokenValiditySeconds: from 15 to 43200'],
  [{ refreshTokenValiditySeconds: 0 }, 'refreshTokenValiditySeconds: from 15 to 7776000'],
  [{ refreshTokenValiditySeconds: 7_776_001 }, 'refreshTokenValiditySeconds: from 15 to 7776000'],
  [{ grantTypes: [] }, NO_FIRST_TOKEN],
  [{ grantTypes: ['REFRESH_TOKEN'] }, NO_FIRST_TOKEN],
  [{ grantTypes: ['PASSWORD'] }, `grantTypes: "PASSWORD" is none of ${KNOWN}`],
  [{ grantTypes: ['client_credentials'] }, `grantTypes: "client_credentials" is none of ${KNOWN}`],
  [
    { grantTypes: ['CLIENT_CREDENTIALS', 'AUTHORIZATION_CODE'] },
    'redirectUris: the grant type AUTHORIZATION_CODE needs at least one',
  ],
  [{ redirectUris: ['/back'] }, NO_URI],
  [{ redirectUris: ['http://a#b'] }, NO_URI],
  [{ redirectUris: ['http://a b'] }, NO_URI],
  [{ redirectUris: [`http://a/${'x'.repeat(2_000)}`] }, NO_URI],
  [
    { redirectUris: Array.from({ length: 21 }, (_, n) => `http://a/${n}`) },
    'redirectUris: at most 20',
  ],
  [{ accessType: 'SOMETIMES' }, 'accessType: one of ONLINE, OFFLINE'],
  [{ scope: ['a b'] }, 'scope: a scope has no blanks, quotes or backslashes'],
  [{ scope: Array.from({ length: 101 }, (_, n) => `s${n}`) }, 'scope: at most 100'],
];
for (const [members, cause] of VALUES) {
  test(`${JSON.stringify(members).slice(0, 80)} is rejected on creation`, () => {
    const body = { name: 'n', ...members };
    assert.deepEqual(
      refusal(() => readClientRequest(body)),
      ['illegal_value', cause],
    );
  });
}

for (const [members, cause] of [
  [{ type: 'PUBLIC' }, 'type: only CONFIDENTIAL clients can be created, since each has a secret'],
  [{ type: 1 }, 'type: only CONFIDENTIAL clients can be created, since each has a secret'],
  [{ internal: true }, 'internal: must be false or left out'],
] as const) {
  test(`rejects ${JSON.stringify(members)}`, () => {
    const body = { name: 'n', ...members };
    assert.deepEqual(
      refusal(() => readClientRequest(body)),
      ['illegal_value', cause],
    );
  });
}

const { scope: _, ...CHANGEABLE } = DEFAULTS;
const CLIENT: OAuthClient = {
  ...CHANGEABLE,
  ...{
    id: 'c',
    kind: 'client',
    ownerId: null,
    expires: null,
    secretHash: 'h',
    scope: ['sp:search:read'],
    accessType: 'OFFLINE',
  },
  ...{ created: 'then', modified: 'then', lastUsed: null, parentId: null },
  tokensValidFrom: 0,
};
const patched = (operations: unknown) => patchClient(CLIENT, readPatch(operations));

test('a patch changes only the members that it names', () => {
  const operations = [
    { op: 'replace', path: '/strongAuthSupported', value: true },
    { op: 'replace', path: '/businessName', value: 'acme-solar' },
    { op: 'add', path: '/grantTypes/-', value: 'REFRESH_TOKEN' },
    { op: 'add', path: '/redirectUris', value: ['https://a.test'] },
    { op: 'test', path: '/enabled', value: true },
    { op: 'replace', path: '/enabled', value: false },
    { op: 'copy', from: '/businessName', path: '/description' },
  ];
  assert.deepEqual(patched(operations), {
    ...{ ...CLIENT, strongAuthSupported: true, businessName: 'acme-solar', enabled: false },
    ...{ grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'], redirectUris: ['https://a.test'] },
    description: 'acme-solar',
  });
});

test('treats removed or null texts and URIs as empty', () => {
  const operations = [
    { op: 'remove', path: '/description' },
    { op: 'replace', path: '/homepageUrl', value: null },
    { op: 'replace', path: '/redirectUris', value: null },
  ];
  assert.deepEqual(patched(operations), CLIENT);
});

const READ_ONLY = [
  '/id',
  '/secret',
  '/secretHash',
  '/scope',
  '/scope/0',
  '/type',
  '/internal',
  '/created',
];
for (const path of [
  ...READ_ONLY,
  '/tenant',
  '/lastUsed',
  '',
  '/',
  '/__proto__/x',
  '/constructor/prototype/x',
]) {
  test(`rejects patches that write or test "${path}"`, () => {
    const cause = `path ${JSON.stringify(path)}`;
    for (const operation of [
      { op: 'replace', path, value: 'x' },
      { op: 'test', path, value: 'x' },
      { op: 'copy', from: path, path: '/description' },
      { op: 'move', from: '/description', path },
    ]) {
      assert.deepEqual(
        refusal(() => patched([operation])),
        ['illegal_update', cause],
      );
    }
  });
}

for (const [members, cause] of VALUES) {
  const [member = '', value] = Object.entries(members)[0] ?? [];
  if (member === 'scope') continue;
  test(`${JSON.stringify(members).slice(0, 80)} is rejected in a patch`, () => {
    const operation = { op: 'replace', path: `/${member}`, value };
    assert.deepEqual(
      refusal(() => patched([operation])),
      ['illegal_value', cause],
    );
  });
}

const OUTCOMES: readonly (readonly [operation: object, cause: string])[] = [
  [{ op: 'remove', path: '/name' }, 'name: a string is needed'],
  [{ op: 'remove', path: '/enabled' }, 'enabled: a value is needed'],
  [{ op: 'replace', path: '/grantTypes', value: null }, 'grantTypes: a value is needed'],
  [
    { op: 'remove', path: '/accessTokenValiditySeconds' },
    'accessTokenValiditySeconds: a value is needed',
  ],
  [{ op: 'remove', path: '/grantTypes/0' }, NO_FIRST_TOKEN],
  [{ op: 'replace', path: '/enabled', value: 'no' }, 'enabled: a boolean is needed'],
  [
    { op: 'add', path: '/redirectUris/-', value: ['http://a'] },
    'redirectUris: an array of strings is needed',
  ],
  [
    { op: 'add', path: '/redirectUris/1', value: 'http://a' },
    'operation 0 (add): index 1 is outside an array of 0',
  ],
  [
    { op: 'test', path: '/enabled', value: false },
    'operation 0 (test): the value differs from the tested one',
  ],
];
for (const [operation, cause] of OUTCOMES) {
  test(`rejects the patch ${JSON.stringify(operation)}`, () => {
    assert.deepEqual(
      refusal(() => patched([operation])),
      ['illegal_value', cause],
    );
  });
}
