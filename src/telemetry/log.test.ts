// Log lines of errors have enough to find the cause, and never a secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredLines, makeLog, withoutSecrets } from './log.ts';

const TEXTS: readonly (readonly [string, string])[] = [
  [
    'connect postgres://cardea:S3CRET@db.example.org:5432/x',
    'connect postgres://…@db.example.org:5432/x',
  ],
  ['rediss://:S3CRET@r/0 and https://u:S3C:RET@h', 'rediss://…@r/0 and https://…@h'],
  ['Authorization: Bearer S3CRET.abc', 'Authorization: … …'],
  ['sent Basic UzNDUkVUOlMzQ1JFVA==', 'sent Basic …'],
  ['got eyJhbGciOiJFUzI1NiJ9.eyJTM0NSRVQiOjF9.c2lnbmF0dXJl', 'got …'],
  [
    'POST /oauth/token?client_id=a&client_secret=S3CRET&x=1',
    'POST /oauth/token?client_id=a&client_secret=…&x=1',
  ],
  ['{"password":"S3CRET","name":"n"}', '{"password":"…","name":"n"}'],
  ['refresh_token: S3CRET', 'refresh_token: …'],
  ['api_key=S3CRET', 'api_key=…'],
  [
    'nothing to hide at http://127.0.0.1:9200/_bulk',
    'nothing to hide at http://127.0.0.1:9200/_bulk',
  ],
];
for (const [text, clean] of TEXTS) {
  test(`logs ${text.slice(0, 24)}… without its secret`, () => {
    assert.equal(withoutSecrets(text), clean);
    assert.doesNotMatch(withoutSecrets(text), /S3CRET|UzND/);
  });
}

test('logs only type, code, message, stack and cause of an error', () => {
  const lines: string[] = [];
  const log = makeLog('info', { write: (line) => void lines.push(line) });
  const cause = Object.assign(new Error('connect http://u:S3CRET@h'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new TypeError('asking http://u:S3CRET@h failed', { cause }), {
    meta: { request: { headers: { authorization: 'S3CRET' } } },
    config: { password: 'S3CRET' },
  });
  log.warn({ err: error }, 'It failed');
  log.warn({ err: 'S3CRET=1 password=S3CRET' }, 'It failed');
  const { err } = JSON.parse(lines[0] ?? '');
  assert.equal(err.type, 'TypeError');
  assert.match(err.stack, /log\.test/);
  assert.equal(err.cause.code, 'ECONNREFUSED');
  assert.deepEqual(Object.keys(err).sort(), ['cause', 'message', 'stack', 'type']);
  assert.doesNotMatch(lines[0] ?? '', /S3CRET/);
  assert.match(lines[1] ?? '', /password=…/);
});

test('removes secrets from fields that are logged together with an error', () => {
  const lines: string[] = [];
  const log = makeLog('info', { write: (line) => void lines.push(line) });
  const [text, clean] = ['asking http://u:S3CRET@h failed', 'asking http://…@h failed'];
  const members = { error: text, reason: text, detail: text, causes: [text, 'and so on'] };
  log.warn({ ...members, backoffMs: 100 }, 'It failed');
  log.info({ error: null, causes: undefined }, 'It goes on');
  const [{ error, reason, detail, causes, backoffMs }, next] = lines.map((line) =>
    JSON.parse(line),
  );
  assert.deepEqual([error, reason, detail], [clean, clean, clean]);
  assert.deepEqual([causes, backoffMs, next.error], [[clean, 'and so on'], 100, null]);
});

test('writes lines together and in order, and flushes at once on a warning', async () => {
  const written: string[] = [];
  let onWrite: () => void = () => {};
  const sink = {
    write(text: string) {
      written.push(text);
      onWrite();
    },
  };
  const log = makeLog('info', new GatheredLines(sink));
  log.info('one');
  log.info('two');
  assert.deepEqual(written, []);
  log.warn('three');
  assert.deepEqual(messagesOf(written), [['one', 'two', 'three']]);
  const later = new Promise<void>((resolve) => {
    onWrite = resolve;
  });
  log.info('four');
  const keepsRunning = setTimeout(() => {}, 60_000);
  await later;
  clearTimeout(keepsRunning);
  assert.deepEqual(messagesOf(written), [['one', 'two', 'three'], ['four']]);
});

function messagesOf(written: readonly string[]): string[][] {
  return written.map((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  );
}
