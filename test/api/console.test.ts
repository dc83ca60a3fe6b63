// The console as it is served: files that were built, their headers, and how much a browser has to fetch.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fakeApp } from './fakes.ts';

const BUILT = join('dist', 'console', 'public');
/** Issue text: what a browser fetches before it shows anything, compressed. */
const FIRST_LOAD_BYTES_MAX = 120 * 1024;

const app = fakeApp();
const without = fakeApp({}, { console: null });
after(() => Promise.all([app.close(), without.close()]));

const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
const references = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name = '']) => name);

test('the page is served below /console/, and /console leads there behind any prefix', async () => {
  const short = await app.inject('/console');
  assert.equal(short.statusCode, 308);
  assert.equal(short.headers.location, 'console/');
  const answer = await app.inject('/console/');
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.body, page);
  assert.equal(answer.headers['cache-control'], 'no-cache');
});

test('behind a list of origins a cache is told to keep packed files and origins apart', async () => {
  const shared = fakeApp({}, { corsOrigins: ['https://app.example.org'] });
  const { headers } = await shared.inject('/console/');
  assert.equal(headers['vary'], 'accept-encoding, Origin');
  await shared.close();
});

test('it may run and load nothing but its own files', async () => {
  const policy = String((await app.inject('/console/')).headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.doesNotMatch(page, /<style|<script(?![^>]* src=)| style=| on\w+=/);
});

test('only a configured provider may be called besides the service, and settings hold no secret', async () => {
  const openid = {
    ...{ issuer: 'https://login.example.org', clientId: 'console', scopes: 'openid' },
    ...{ parameters: {}, label: 'Sign in', origins: ['https://login.example.org'] },
  };
  const settings = { idleSeconds: 600, sessionSeconds: 3_600, openid, sendsEmail: true };
  const withProvider = fakeApp({}, { console: settings });
  const connectOf = async (served: typeof app) => {
    const policy = (await served.inject('/console/')).headers['content-security-policy'];
    return /connect-src [^;]*/.exec(String(policy))?.[0];
  };
  assert.equal(await connectOf(withProvider), "connect-src 'self' https://login.example.org");
  assert.equal(await connectOf(app), "connect-src 'self'");
  const answer = await withProvider.inject('/console/settings.json');
  assert.deepEqual(answer.json(), settings);
  assert.match(String(answer.headers['cache-control']), /^public, max-age=\d+$/);
  assert.equal((await app.inject('/console/settings.json')).json().openid, null);
  assert.equal((await without.inject('/console/settings.json')).statusCode, 404);
  await withProvider.close();
});

test('everything the page names is there, packed where that is taken, and kept for good', async () => {
  assert.ok(references.length >= 3, references.join());
  for (const name of references) {
    const packed = await app.inject({
      url: `/console/${name}`,
      headers: { 'accept-encoding': 'gzip, br' },
    });
    const plain = await app.inject(`/console/${name}`);
    assert.equal(plain.statusCode, 200, name);
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(packed.rawPayload), plain.rawPayload);
    assert.match(String(plain.headers['cache-control']), /immutable/);
  }
});

for (const path of [
  '/console/nothing',
  '/console/../package.json',
  '/console/%2e%2e/%2e%2e/package.json',
  '/console/assets/',
]) {
  test(`${path} is not there`, async () => {
    const answer = await app.inject(path);
    assert.equal(answer.statusCode, 404);
    assert.equal(answer.json().detailCode, '404 Not found');
  });
}

test('a setting turns it off', async () => {
  for (const path of ['/console', '/console/']) {
    assert.equal((await without.inject(path)).statusCode, 404);
  }
});

test('the first load is under 120 KB with the Latin font, and charts come only when they are needed', () => {
  const size = (name: string) => gzipSync(readFileSync(join(BUILT, name)), { level: 9 }).length;
  const fonts = readdirSync(join(BUILT, 'assets'))
    .filter((name) => /-latin(?:-ext)?-.*\.woff2$/.test(name))
    .map((name) => join('assets', name));
  assert.equal(fonts.length, 2);
  const loaded = ['index.html', ...references, ...fonts];
  const first = loaded.reduce((sum, name) => sum + size(name), 0);
  assert.ok(first < FIRST_LOAD_BYTES_MAX, `${first} bytes`);
  const charts = readdirSync(join(BUILT, 'assets')).filter((name) => name.startsWith('chart-'));
  assert.ok(charts.length > 0 && charts.every((name) => !page.includes(name)));
});
