import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CommandError } from '../context.ts';
import {
  type Credentials,
  credentialsPath,
  curlLine,
  exportLines,
  readCredentials,
  writeCredentials,
} from './credentials.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-credentials-'));
after(() => rmSync(directory, { recursive: true }));

const CREDENTIALS: Credentials = {
  baseUrl: 'http://127.0.0.1:8080',
  tenant: 'demo',
  clientId: 'a'.repeat(32),
  clientSecret: 'b'.repeat(64),
  apiKey: `ne-${'c'.repeat(32)}`,
};

test('credentials are read as written, by their owner only', () => {
  assert.equal(readCredentials(directory), null);
  // A file that was open to all is closed, not only a new one.
  writeFileSync(credentialsPath(directory), '{}', { mode: 0o644 });
  writeCredentials(directory, CREDENTIALS);
  assert.deepEqual(readCredentials(directory), CREDENTIALS);
  assert.equal(statSync(credentialsPath(directory)).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ['credentials.json']);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(credentialsPath(directory), 'utf8'))), [
    'baseUrl',
    'tenant',
    'clientId',
    'clientSecret',
    'apiKey',
  ]);
});

test('a draft that a crash left open to all does not open the credentials', () => {
  writeFileSync(`${credentialsPath(directory)}.new`, '{}', { mode: 0o644 });
  writeCredentials(directory, CREDENTIALS);
  assert.equal(statSync(credentialsPath(directory)).mode & 0o777, 0o600);
});

for (const text of ['{', '[]', 'null', '{"baseUrl":"x"}']) {
  test(`a file that holds ${text} is told of`, () => {
    writeFileSync(credentialsPath(directory), text);
    assert.throws(() => readCredentials(directory), CommandError);
  });
}

test('the lines are those that the official SDKs read', () => {
  assert.deepEqual(exportLines(CREDENTIALS), [
    'export SAIL_BASE_URL=http://127.0.0.1:8080',
    `export SAIL_CLIENT_ID=${CREDENTIALS.clientId}`,
    `export SAIL_CLIENT_SECRET=${CREDENTIALS.clientSecret}`,
  ]);
});

test('the curl line takes a certificate of one’s own making', () => {
  assert.doesNotMatch(curlLine(CREDENTIALS), /curl -sk/);
  assert.match(curlLine({ ...CREDENTIALS, baseUrl: 'https://a:1' }), /^curl -sk .*curl -sk /);
});
