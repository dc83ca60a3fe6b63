// suite: slow
// What clients write differently in a target: one slash at its end, on every route, and booleans as Python spells them, for every
// parameter that is documented as one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openapi, operations } from '../support/openapi.ts';
import { type RunningService, startService } from '../support/service.ts';
import { fakeApp, fakeRoutes } from './fakes.ts';

describe('a slash at the end of a path', () => {
  const app = fakeApp({}, { documentation: true });
  after(() => app.close());

  for (const { method, path, operation } of fakeRoutes()) {
    if (path === '/' || path === '/metrics') continue;
    const target = path.replace(':index', 'roles').replace(/:\w+/g, 'r-1');
    test(`${method} ${target}/ is ${target}`, async () => {
      // Without a token a route that needs one is 401, and what is no route 404.
      const [plain, slashed] = await Promise.all(
        [target, `${target}/?x=1`].map((url) => app.inject({ method, url })),
      );
      assert.equal(slashed?.statusCode, plain?.statusCode);
      if (operation !== null) assert.equal(slashed?.statusCode, 401);
      else assert.notEqual(slashed?.statusCode, 404);
    });
  }

  test('pages keep the slash of their folder', async () => {
    const page = await app.inject('/docs/');
    assert.match(String(page.headers['content-type']), /^text\/html/);
  });
});

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly type?: string | readonly string[] };
  readonly $ref?: string;
}

/** The names of the boolean parameters of an operation's query. */
function flagsOf(method: string, template: string): string[] {
  const item = openapi['paths']?.[template];
  const lists = [item?.['parameters'], item?.[method.toLowerCase()]?.['parameters']];
  return lists
    .flatMap((list) => (list ?? []) as unknown as readonly Parameter[])
    .map((parameter) => {
      const name = parameter.$ref?.replace('#/components/parameters/', '');
      return name === undefined
        ? parameter
        : (openapi['components']?.['parameters']?.[name] as unknown as Parameter);
    })
    .filter((parameter) => parameter.in === 'query' && parameter.schema?.type === 'boolean')
    .map(({ name }) => name);
}

const FLAGS = operations().flatMap(({ method, template, path }) =>
  flagsOf(method, template).map((name) => ({ method, path, name })),
);

describe('a boolean parameter', () => {
  let service: RunningService;
  let savedSearch: string;
  before(async () => {
    service = await startService();
    const accounts = [{ id: 'r-1', accountId: 'a', source: { id: 's', name: 'HR' } }];
    await service.addDocuments([
      { _type: 'role', id: 'r-1', name: 'n' },
      { _type: 'accessprofile', id: 'r-1', name: 'n' },
      { _type: 'identity', id: 'r-1', name: 'n', accounts },
    ]);
    const saved = { name: 'all', indices: ['roles'], query: '*' };
    const answer = await service.call('POST', '/v3/saved-searches', saved);
    ({ id: savedSearch } = (await answer.json()) as { id: string });
  });
  after(() => service.stop());

  test('is found in the document', () => {
    const names = new Set(FLAGS.map(({ name }) => name));
    for (const name of ['count', 'metadata', 'archived', 'exclude_attributes', 'strict']) {
      assert.ok(names.has(name), name);
    }
  });

  for (const { method, path, name } of FLAGS) {
    test(`${name} of ${method} ${path} may be True or FALSE`, async () => {
      const id = path.includes('saved-searches') ? savedSearch : 'r-1';
      const target = path.replace('{index}', 'roles').replace(/\{\w+\}/g, id);
      const body = method === 'POST' ? { query: { query: '*' }, indices: ['roles'] } : undefined;
      const ask = async (value: string) => {
        const answer = await service.call(method, `${target}?${name}=${value}`, body);
        return { status: answer.status, text: untimed(await answer.text()) };
      };
      assert.deepEqual(await ask('True'), await ask('true'));
      assert.deepEqual(await ask('FALSE'), await ask('false'));
      assert.equal((await ask('maybe')).status, 400);
    });
  }
});

/** A body without what differs between two answers to the same request. */
function untimed(text: string): string {
  return text
    .replace(/"trackingId":"\w+"/, '')
    .replace(/"milliseconds":\{[^}]*\}/, '')
    .replace(/"(lastLoginTimestamp|currentLoginTimestamp)":\d+/g, '');
}
