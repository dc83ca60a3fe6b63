// The bounds of JSON Patch on every route that takes one, as the table of routes lists them, over real HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';
import { fakeRoutes } from './fakes.ts';

const PATCH_ROUTES = fakeRoutes().filter(({ body }) => body === 'json-patch');
/** For each area a list that a patch may change, and how to make a record that has it. */
const AREAS: readonly { readonly area: RegExp; readonly list: string; id(): Promise<string> }[] = [
  { area: /\/auth-users\//, list: '/capabilities', id: async () => service.adminId },
  {
    area: /\/personal-access-tokens\//,
    list: '/scope',
    id: () => made('/v3/personal-access-tokens', { name: `patched ${++tokens}` }),
  },
  {
    area: /\/oauth-clients\//,
    list: '/redirectUris',
    id: () =>
      made('/v3/oauth-clients', { name: 'patched', redirectUris: ['https://app.test/callback'] }),
  },
];

let service: RunningService;
let tokens = 0;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function made(path: string, body: object): Promise<string> {
  const answer = await service.call('POST', path, body);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { id: string }).id;
}

const repeated = (count: number, ...operations: object[]) =>
  Array.from({ length: count }, () => operations).flat();

const REFUSED: readonly (readonly [
  what: string,
  patch: (list: string) => object[],
  detailCode: string,
  cause: RegExp,
])[] = [
  [
    '26 copies of a list into itself',
    (list) => repeated(26, { op: 'copy', from: list, path: `${list}/-` }),
    '400.1.3 Illegal value',
    /^operation 0 \(copy\): a value cannot be moved or copied into itself$/,
  ],
  [
    'a move of a list into itself',
    (list) => [{ op: 'move', from: list, path: `${list}/0` }],
    '400.1.3 Illegal value',
    /^operation 0 \(move\): a value cannot be moved or copied into itself$/,
  ],
  [
    'a removal of what is not there',
    (list) => [{ op: 'remove', path: list, value: ['none'] }],
    '400.1.3 Illegal value',
    /^operation 0 \(remove\): the value at \/\w+ is not the one to remove; send the path of that one, or no "value"$/,
  ],
  [
    '101 operations',
    (list) => repeated(101, { op: 'test', path: list, value: [] }),
    '400.1 Bad Request Content',
    /^101 operations; send at most 100/,
  ],
  [
    'copies of a long value to other places',
    (list) => [
      { op: 'add', path: `${list}/0`, value: 'x'.repeat(30_000) },
      ...repeated(20, { op: 'copy', from: `${list}/0`, path: `${list}/-` }),
    ],
    '400.1.3 Illegal value',
    /^operation 2 \(copy\): a patch can write at most 65536 characters/,
  ],
];

for (const { path } of PATCH_ROUTES) {
  test(`PATCH ${path} refuses what goes beyond the bounds of a patch and stays as it was`, async () => {
    const area = AREAS.find((candidate) => candidate.area.test(path));
    assert.ok(area, 'the area is listed in this test');
    const target = path.replace(':id', await area.id());
    const patch = (operations: object[]) =>
      service.call('PATCH', target, operations, {
        'content-type': 'application/json-patch+json',
      });
    const before = await (await patch([])).json();
    for (const [what, operations, detailCode, cause] of REFUSED) {
      const answer = await patch(operations(area.list));
      const fault = (await answer.json()) as { detailCode: string; causes: { text: string }[] };
      assert.deepEqual([answer.status, fault.detailCode], [400, detailCode], what);
      assert.match(fault.causes[0]?.text ?? '', cause, what);
    }
    assert.deepEqual(await (await patch([])).json(), before);
  });
}

test('every area that takes a JSON Patch is tried', () => {
  for (const { area } of AREAS) assert.ok(PATCH_ROUTES.some(({ path }) => area.test(path)));
});
