// suite: slow
// The export of the audit trail by a whole service: to a file and to a collector, over failures and restarts.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { eventually } from '../support/eventually.ts';

interface Line {
  readonly tenant: string;
  readonly number: number;
  readonly event: { readonly id: string; readonly target: { readonly name: string } };
}

/** A collector on loopback. */
const received: Line[] = [];
const requests: IncomingMessage[] = [];
let answer = 200;
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requests.push(request);
    if (answer === 200) received.push(...linesOf(Buffer.concat(chunks).toString('utf8')));
    response.writeHead(answer).end();
  });
});

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const root = mkdtempSync(join(tmpdir(), 'cardea-export-'));
let url: string;
before(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/audit`;
});
after(() => {
  collector.closeAllConnections();
  collector.close();
  rmSync(root, { recursive: true, force: true });
});

function serve(env: Record<string, string>) {
  const all = { CARDEA_PORT: '0', CARDEA_DATA_DIR: join(root, 'data'), ...env };
  return compose(parseConfig(all), { log: pino({ level: 'silent' }) });
}

const numbers = (lines: readonly Line[]) => [...new Set(lines.map(({ number }) => number))];

test('events reach the file and the collector, and go on after a restart without a gap', async () => {
  const file = join(root, 'audit.jsonl');
  const env = {
    CARDEA_AUDIT_FILE: file,
    CARDEA_AUDIT_URL: url,
    CARDEA_AUDIT_AUTHORIZATION: 'Bearer collector-token',
    CARDEA_ALLOW_PRIVATE_URLS: 'on',
  };
  const first = await serve(env);
  await first.start();
  const tenant = await createTenant(first.store, { name: 'acme' });
  await createAdmin(first.store, tenant, { uid: 'ada' });
  const inFile = () => linesOf(readFileSync(file, 'utf8'));
  await eventually(() => assert.deepEqual(numbers(received), [1, 2]));
  await eventually(() => assert.deepEqual(numbers(inFile()), [1, 2]));
  assert.deepEqual(
    received.map(({ tenant: name, event }) => [name, event.target.name]),
    [
      ['acme', 'acme'],
      ['acme', 'ada'],
    ],
  );
  assert.equal(requests[0]?.method, 'POST');
  assert.equal(requests[0]?.headers.authorization, 'Bearer collector-token');
  assert.equal(requests[0]?.headers['content-type'], 'application/x-ndjson');

  answer = 503;
  await createAdmin(first.store, tenant, { uid: 'grace' });
  await eventually(async () => {
    const { warnings } = first.services.status;
    assert.match((await warnings()).join(), /audit trail could not be exported/);
  });
  await first.stop();
  answer = 200;
  const second = await serve(env);
  await createAdmin(second.store, tenant, { uid: 'joan' });
  await second.start();
  await eventually(() => assert.deepEqual(numbers(received), [1, 2, 3, 4]));
  await eventually(() => assert.deepEqual(numbers(inFile()), [1, 2, 3, 4]));
  await second.stop();
  const ids = new Set(received.map(({ event }) => event.id));
  assert.equal(ids.size, 4, 'an event that comes twice has the same id');
});

test('a collector in a private network is not reached unless a setting allows it', async () => {
  const before = requests.length;
  const service = await serve({
    CARDEA_DATA_DIR: join(root, 'private'),
    CARDEA_AUDIT_URL: url.replace('http:', 'https:'),
  });
  await service.start();
  await createTenant(service.store, { name: 'acme' });
  await eventually(async () => {
    assert.match((await service.services.status.warnings()).join(), /could not be exported/);
  });
  await service.stop();
  assert.equal(requests.length, before);
});
