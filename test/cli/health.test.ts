// cardea health: well, not ready, not there, and over TLS whatever the certificate says.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { fakeApp } from '../api/fakes.ts';
import { commandLine } from '../support/command-line.ts';

const PAIR = ['test/api/tls/renewed-cert.pem', 'test/api/tls/renewed-key.pem'] as const;
const directory = mkdtempSync(join(tmpdir(), 'cardea-health-'));
after(() => rmSync(directory, { recursive: true }));

async function health(port: number | string, ...flags: string[]) {
  const line = commandLine(['health', '--port', String(port), ...flags]);
  return { code: await line.ended, out: line.out(), err: line.err() };
}

for (const tls of [false, true]) {
  test(`a server that lives is well ${tls ? 'over TLS' : 'over plain HTTP'}, at all its addresses`, async () => {
    const files = tls
      ? {
          CARDEA_TLS_CERT: PAIR[0],
          CARDEA_TLS_KEY: PAIR[1],
        }
      : {};
    const config = parseConfig({
      ...{ CARDEA_DATA_DIR: join(directory, String(tls)), CARDEA_PORT: '0', ...files },
    });
    const cardea = await compose(config, { log: pino({ level: 'silent' }) });
    const { port } = new URL((await cardea.start()).url);
    const flags = tls
      ? ['--tls-cert', files.CARDEA_TLS_CERT ?? '', '--tls-key', files.CARDEA_TLS_KEY ?? '']
      : [];
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const { code, err } = await health(port, '--host', host, ...flags);
      assert.equal(code, 0, err);
    }
    // The other protocol: what to set, not how its bytes look to this one.
    const other = tls ? [] : ['--tls-cert', PAIR[0], '--tls-key', PAIR[1]];
    const mistaken = await health(port, ...other);
    assert.equal(mistaken.code, 2, mistaken.err);
    assert.match(
      mistaken.err,
      tls
        ? /speaks TLS: set CARDEA_TLS_CERT and CARDEA_TLS_KEY, or --tls-cert and --tls-key/
        : /speaks no TLS: leave out --tls-cert and --tls-key/,
    );
    const ready = await health(port, '--ready', ...flags);
    assert.equal(ready.code, 0, ready.err);
    await cardea.stop();
    const gone = await health(port, ...flags);
    assert.equal(gone.code, 1);
    assert.match(gone.err, /No healthy server at 127\.0\.0\.1:\d+/);
  });
}

test('a server that is not ready lives, and says why it is not', async () => {
  const app = fakeApp({ status: { unreadyReasons: async () => ['the index is being built'] } });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  assert.equal((await health(port)).code, 0);
  const { code, err } = await health(port, '--ready');
  assert.equal(code, 1);
  assert.match(err, /\/ready answers 503: .*the index is being built/);
  await app.close();
});
