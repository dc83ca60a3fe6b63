import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UsageError } from '../common/context.ts';
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

test('reads credentials as written, in a file that only the owner can read', () => {
  assert.equal(readCredentials(directory), null);
  // An existing file that others can read gets restricted permissions too.
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

test('ignores the permissions of a draft that a crash left behind', () => {
  writeFileSync(`${credentialsPath(directory)}.new`, '{}', { mode: 0o644 });
  writeCredentials(directory, CREDENTIALS);
  assert.equal(statSync(credentialsPath(directory)).mode & 0o777, 0o600);
});

for (const text of ['{', '[]', 'null', '{"baseUrl":"x"}']) {
  test(`rejects a file that holds ${text}`, () => {
    writeFileSync(credentialsPath(directory), text);
    assert.throws(() => readCredentials(directory), UsageError);
  });
}

test('the export lines set the variables of the official SDKs and the key of profile management', () => {
  assert.deepEqual(exportLines(CREDENTIALS), [
    'export SAIL_BASE_URL=http://127.0.0.1:8080',
    `export SAIL_CLIENT_ID=${CREDENTIALS.clientId}`,
    `export SAIL_CLIENT_SECRET=${CREDENTIALS.clientSecret}`,
    `export NERM_TOKEN=${CREDENTIALS.apiKey}`,
  ]);
});

test('the curl line accepts a self-signed certificate', () => {
  assert.doesNotMatch(curlLine(CREDENTIALS), /curl -sk/);
  assert.match(curlLine({ ...CREDENTIALS, baseUrl: 'https://a:1' }), /^curl -sk .*curl -sk /);
});
