// cardea api-key: what it prints, what it keeps, and that a key made while the service runs works at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine(['api-key', ...args, '--data-dir', service.dataDir]);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

const statusOf = async (key: string) =>
  (await fetch(`${service.url}/api/users`, { headers: { authorization: `Bearer ${key}` } })).status;

test('a key is printed alone, works beside a running service, and is listed without itself', async () => {
  const made = await run('create', '--name', 'nightly script');
  assert.equal(made.code, 0, made.err);
  const key = made.out.trim();
  assert.match(key, /^ne-[0-9a-f]{32}$/);
  assert.match(made.err, /shown this once/);
  assert.equal(await statusOf(key), 200);
  const listed = await run('list', '--json');
  const [entry] = JSON.parse(listed.out);
  assert.deepEqual(Object.keys(entry), ['id', 'name', 'created']);
  assert.equal(entry.name, 'nightly script');
  const text = await run('list');
  assert.ok(text.out.includes('nightly script') && !text.out.includes(key.slice(3)));
  assert.equal((await run('delete', entry.id)).code, 0);
  assert.equal(await statusOf(key), 401);
  assert.match((await run('list')).err, /no API key/);
});

test('as JSON it tells the id, too', async () => {
  const { out } = await run('create', '--name', 'x', '--json');
  const { id, apiKey } = JSON.parse(out);
  assert.equal(await statusOf(apiKey), 200);
  assert.equal((await run('delete', id)).code, 0);
});

test('what is not there or has no name ends with 1 and says why', async () => {
  const lost = await run('delete', 'nothing');
  assert.deepEqual([lost.code, lost.out], [1, '']);
  assert.match(lost.err, /no API key nothing/);
  const blank = await run('create', '--name', '  ');
  assert.equal(blank.code, 1);
  assert.match(blank.err, /printable characters/);
});
