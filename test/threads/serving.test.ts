// suite: slow, shared T
// Three threads that serve one tenant: every request may meet another one.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type ThreadWorld, threadWorld } from './thread-world.ts';

let world: ThreadWorld;
before(async () => {
  world = await threadWorld(3, { CARDEA_RATE_LIMIT: 'off' });
});
after(() => world.stop());

const NDJSON = { 'content-type': 'application/x-ndjson' };
const role = (id: string, name = id) => JSON.stringify({ _type: 'role', id, name });
const countOf = async (query: string) => {
  const body = JSON.stringify({ indices: ['roles'], query: { query } });
  const { status, headers, text } = await world.call('POST', '/v3/search/count', body);
  assert.equal(status, 204, text);
  return Number(headers['x-total-count']);
};

test('every thread answers requests', async () => {
  for (let round = 0; round < 100; round++) {
    await Promise.all(Array.from({ length: 12 }, () => world.call('GET', '/health')));
    const requests = await world.requests();
    if ([1, 2, 3].every((thread) => (requests.get(thread) ?? 0) > 0)) return;
  }
  assert.fail('a thread has answered nothing');
});

test('what was written with refresh=wait is found by the next request, whichever thread answers', async () => {
  for (let n = 0; n < 40; n++) {
    const answer = await world.call(
      'POST',
      '/admin/v1/documents?refresh=wait',
      role(`w${n}`),
      NDJSON,
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await countOf(`id:w${n}`), 1, `document ${n}`);
  }
});

test('writes of all threads at once are kept, in one sequence', async () => {
  const before = await countOf('id:at*');
  await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const answer = await world.call('POST', '/admin/v1/documents', role(`at${n}`), NDJSON);
      assert.equal(answer.status, 200, answer.text);
    }),
  );
  const last = await world.call('POST', '/admin/v1/documents?refresh=wait', role('last'), NDJSON);
  assert.equal(last.status, 200, last.text);
  assert.equal((await countOf('id:at*')) - before, 60);
});

test('a token that was revoked in one thread is refused by all at once', async () => {
  for (let n = 0; n < 10; n++) {
    const form = (members: Record<string, string>) => new URLSearchParams(members).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
    const { clientId: client_id, clientSecret: client_secret } = world;
    const credentials = { client_id, client_secret };
    const grant = form({ grant_type: 'client_credentials', ...credentials });
    const issued = await world.call('POST', '/oauth/token', grant, type);
    const { access_token: token } = JSON.parse(issued.text) as { access_token: string };
    const authorization = `Bearer ${token}`;
    const ask = () => world.call('GET', '/v3/personal-access-tokens', undefined, { authorization });
    // All threads have verified it.
    for (const { status } of await Promise.all(Array.from({ length: 12 }, ask))) {
      assert.equal(status, 200);
    }
    const revoked = await world.call(
      'POST',
      '/oauth/revoke',
      form({ token, ...credentials }),
      type,
    );
    assert.equal(revoked.status, 200, revoked.text);
    for (const { status } of await Promise.all(Array.from({ length: 12 }, ask))) {
      assert.equal(status, 401);
    }
  }
});

test('a walk through a list continues in any thread', async () => {
  const body = (searchAfter?: string[]) =>
    JSON.stringify({
      ...{ indices: ['roles'], query: { query: 'id:w*' }, sort: ['id'] },
      ...(searchAfter && { searchAfter }),
    });
  const ids: string[] = [];
  for (let after: string[] | undefined; ; ) {
    const { text } = await world.call('POST', '/v3/search?limit=7', body(after));
    const page = JSON.parse(text) as { id: string }[];
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined) break;
    after = [last.id];
  }
  assert.equal(ids.length, 40);
  assert.deepEqual(ids, [...new Set(ids)].sort());
});

test('deleted documents are gone for every thread once the deletion is searchable', async () => {
  for (let n = 0; n < 20; n++) {
    const path = `/admin/v1/documents/roles/w${n}?refresh=wait`;
    const { status, text } = await world.call('DELETE', path);
    assert.ok(status === 204 || status === 200, text);
    assert.equal(await countOf(`id:w${n}`), 0);
  }
});

test('readiness, status and metrics are those of the process', async () => {
  for (let n = 0; n < 12; n++) {
    assert.equal((await world.call('GET', '/ready')).status, 200);
    const { node, threads } = JSON.parse((await world.call('GET', '/admin/v1/status')).text);
    assert.equal(node.threads, 3);
    assert.deepEqual(threads.map(({ thread }: { thread: number }) => thread).sort(), [1, 2, 3]);
    const { text } = await world.call('GET', '/metrics');
    assert.match(
      text,
      /^cardea_http_requests_total\{method="GET",route="\/ready",status="200"\} \d+$/m,
    );
  }
});

test('of N and one more requests in a window exactly N pass, over any connections', async (t) => {
  const limited = await threadWorld(3, { CARDEA_RATE_LIMIT: '40/3600' });
  t.after(() => limited.stop());
  const answers = await Promise.all(
    Array.from({ length: 41 }, () => limited.call('GET', '/v3/personal-access-tokens')),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  assert.deepEqual([count(200), count(429)], [40, 1]);
});

test('wrong secrets are counted over all threads', async (t) => {
  const limited = await threadWorld(3, { CARDEA_TOKEN_ATTEMPTS: '10/3600' });
  t.after(() => limited.stop());
  const grant = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: limited.clientId, client_secret: 'wrong' },
  }).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
  const statuses: number[] = [];
  for (let n = 0; n < 15; n++) {
    statuses.push((await limited.call('POST', '/oauth/token', grant, type)).status);
  }
  assert.deepEqual(
    [401, 429].map((status) => statuses.filter((one) => one === status).length),
    [10, 5],
  );
});

test('connections of an address are counted over all threads', async (t) => {
  const limited = await threadWorld(3, { CARDEA_MAX_CONNECTIONS_PER_ADDRESS: '20' });
  t.after(() => limited.stop());
  const { hostname, port } = new URL(limited.url);
  const sockets = Array.from({ length: 40 }, () => connect(Number(port), hostname));
  const open = new Set(sockets);
  for (const socket of sockets) {
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    socket.on('connect', () => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'));
  }
  await eventually(() => assert.equal(open.size, 20));
  for (const socket of sockets) socket.destroy();
});
