// The page at /docs works without any other host, and over TLS.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { currentOpenapiFile } from '../../scripts/openapi-document.ts';
import { openapiFile } from '../support/openapi.ts';
import { fakeApp } from './fakes.ts';

const app = fakeApp({}, { documentation: true });
after(() => app.close());

test('a browser is led from the root to the console, and finds the page', async () => {
  const root = await app.inject({ url: '/', headers: { accept: 'text/html,*/*' } });
  assert.equal(root.statusCode, 302);
  assert.equal(root.headers.location, '/console/');
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9']) {
    assert.equal((await app.inject({ url: '/', headers: { accept } })).statusCode, 200, accept);
  }
  const redirect = await app.inject('/docs');
  assert.equal(redirect.statusCode, 308);
  assert.equal(redirect.headers.location, 'docs/');
  const page = await app.inject('/docs/');
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers['content-security-policy']), /default-src 'self'/);
  assert.match(page.body, /<title>Cardea<\/title>/);
  const references = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  assert.ok(references.length > 3);
  assert.ok(references.includes('../'), 'a link to the console');
  for (const url of references) {
    if (url === '../') continue;
    assert.match(url, /^(?:[\w.-]+|guide\/)$/, `${url} is a file beside the page, or the guide`);
    assert.equal((await app.inject(`/docs/${url}`)).statusCode, 200, url);
  }
});

const packed = readFileSync(openapiFile(), 'utf8');
const source = readFileSync('docs/openapi.source.yaml', 'utf8');
/** Parses YAML without aliases; that takes half a second. */
const parsed = (text: string, version: '1.1' | '1.2') =>
  parse(text, { maxAliasCount: 0, uniqueKeys: true, version });
const [packedDocument, sourceDocument] = [packed, source].map((text) => parsed(text, '1.2'));

test('docs/openapi.yaml is whole, and is what its source says', () => {
  assert.ok(packed === currentOpenapiFile(), 'run node dist/scripts/generate-openapi.js');
  assert.doesNotMatch(packed, /^ *x-(errors|every-response|also):/m);
});

test('docs/openapi.yaml is served as YAML and as JSON', async () => {
  for (const url of ['/docs/openapi.yaml', '/openapi.yaml']) {
    const response = await app.inject(url);
    assert.match(String(response.headers['content-type']), /^application\/yaml/);
    assert.ok(response.body === packed);
  }
  for (const url of ['/docs/json', '/docs/openapi.json', '/openapi.json']) {
    assert.deepEqual((await app.inject(url)).json(), packedDocument);
  }
});

test('readers of YAML 1.1 and 1.2 understand the document and its source alike, without aliases', () => {
  assert.deepEqual(parsed(source, '1.1'), sourceDocument);
  assert.deepEqual(parsed(packed, '1.1'), packedDocument);
});

test('no member of the document is the rest of a description that a comma ended', () => {
  const cut: string[] = [];
  JSON.parse(JSON.stringify(sourceDocument), (name, value) => {
    if (value === null && name.includes(' ')) cut.push(name);
    return value;
  });
  assert.deepEqual(cut, []);
});

test('certificate and key make it HTTPS', async () => {
  const folder = join(dirname(openapiFile()), '..', 'test', 'api', 'tls');
  const cert = readFileSync(join(folder, 'cert.pem'));
  const secure = fakeApp({}, { tls: { cert, key: readFileSync(join(folder, 'key.pem')) } });
  await secure.listen({ port: 0, host: '127.0.0.1' });
  const { port } = secure.server.address() as AddressInfo;
  const body = await new Promise<string>((resolve, reject) => {
    get(`https://127.0.0.1:${port}/health`, { ca: cert, agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve);
    }).once('error', reject);
  });
  assert.equal(body, '{"status":"alive"}');
  await secure.close();
});
