// The guide as it is served: its pages, their Markdown, its headers, and how much a browser has to fetch.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PAGE_GROUPS } from '../../scripts/guide/pages.ts';
import { fakeApp } from './fakes.ts';

/** Issue text: what a browser fetches before it shows a page, compressed. */
const FIRST_LOAD_BYTES_MAX = 150 * 1024;
const ROOT = '/docs/guide/';
const NAMES = ['', ...PAGE_GROUPS.flatMap(({ pages }) => pages.map(({ name }) => name))];

const app = fakeApp({}, { documentation: true });
const without = fakeApp({}, { documentation: false });
after(() => Promise.all([app.close(), without.close()]));

/** The answers to requests so far, by path. */
const answers = new Map<string, ReturnType<typeof ask>>();
const ask = (url: string) => app.inject({ url, headers: { 'accept-encoding': 'identity' } });
function get(url: string): ReturnType<typeof ask> {
  const answer = answers.get(url) ?? ask(url);
  answers.set(url, answer);
  return answer;
}

test('/docs/guide leads to the contents, behind any prefix', async () => {
  const short = await get('/docs/guide');
  assert.equal(short.statusCode, 308);
  assert.equal(short.headers.location, 'guide/');
  const contents = await get(ROOT);
  for (const name of NAMES) assert.match(contents.body, new RegExp(`href="${name || './'}"`));
});

test('the API page leads to the guide', async () => {
  assert.match((await get('/docs/')).body, /href="guide\/"/);
});

test('a page is served with the policy of the console, and with nothing inline', async () => {
  const { headers } = await get('/console/');
  const page = await get(`${ROOT}search`);
  assert.equal(page.headers['content-security-policy'], headers['content-security-policy']);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(page.body, (await get(`${ROOT}search.html`)).body);
  for (const name of NAMES) {
    const { body } = await get(ROOT + name);
    assert.doesNotMatch(body, /<style|<script(?![^>]* src=)|<[^>]* (?:style|on\w+)=/, name);
  }
});

test('every link of every page, and of its Markdown, leads to something that is served', async () => {
  for (const name of NAMES) {
    const html = (await get(ROOT + name)).body;
    const markdown = (await get(`${ROOT}${name === '' ? 'llms.txt' : `${name}.md`}`)).body;
    const targets = [
      ...[...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target),
      ...[...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    ];
    assert.ok(targets.length > 30, name);
    for (const target of new Set(targets)) {
      if (/^(?:https?|mailto):/.test(target)) continue;
      const { pathname, hash } = new URL(target.replaceAll('&amp;', '&'), `http://x${ROOT}${name}`);
      const answer = await get(pathname);
      assert.equal(answer.statusCode, 200, `${name} leads to ${target}`);
      const isPage = String(answer.headers['content-type']).startsWith('text/html');
      if (hash === '' || !isPage) continue;
      assert.ok(answer.body.includes(`id="${hash.slice(1)}"`), `${name} leads to ${target}`);
    }
  }
});

test('a page is served as Markdown, byte for byte', async () => {
  const { headers, body } = await get(`${ROOT}search.md`);
  assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
  assert.match(body, /^# The query language\n/);
});

test('/llms.txt leads to the list of pages', async () => {
  const { statusCode, headers } = await get('/llms.txt');
  assert.equal(statusCode, 308);
  assert.equal(headers.location, 'docs/guide/llms.txt');
  const list = await get('/docs/guide/llms.txt');
  assert.equal(list.headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(list.body, /^# Cardea\n/);
});

for (const path of ['nothing', 'openapi.source.yaml', 'decisions/glossary.md', '../errors.ts']) {
  test(`/docs/guide/${path} is not there`, async () => {
    assert.equal((await app.inject(ROOT + path)).statusCode, 404);
  });
}

test('a setting turns it off', async () => {
  for (const path of ['/docs/guide', ROOT, '/llms.txt']) {
    assert.equal((await without.inject(path)).statusCode, 404, path);
  }
});

for (const name of NAMES) {
  test(`the first load of ${ROOT}${name} is at most 150 KB, before pictures`, async () => {
    const { body } = await get(ROOT + name);
    const files = [
      ...body.matchAll(
        /<(?:link rel="(?:preload|stylesheet|icon)"|script)[^>]* (?:href|src)="([^"]+)"/g,
      ),
    ];
    assert.ok(files.length >= 4);
    // A search loads more, which no page does by itself.
    let size = gzipSync(body, { level: 9 }).length;
    for (const [, file = ''] of files) {
      size += gzipSync((await get(ROOT + file)).rawPayload, { level: 9 }).length;
    }
    assert.ok(size <= FIRST_LOAD_BYTES_MAX, `${size} bytes`);
    assert.doesNotMatch(body, /<img (?![^>]*(?:loading="lazy"|src="mark\.svg"))/);
  });
}
