// The guide in a real browser: each page must come up with nothing but this server and nothing refused by its own
// Content-Security-Policy, on a desk and on a phone, in light and dark; and its search must find and lead.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { PAGE_GROUPS } from '../../scripts/guide/pages.ts';
import { untilAtRest, watchRequests } from '../support/at-rest.ts';
import { openChromium } from '../support/chromium.ts';
import { accessibilityFaults } from '../support/console-world.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };
const PHONE_DARK: BrowserContextOptions = { ...PHONE, colorScheme: 'dark' };
const WINDOWS: Readonly<Record<string, BrowserContextOptions>> = {
  'a desk, light': { ...DESK, colorScheme: 'light' },
  'a phone, dark': PHONE_DARK,
};
const FIRST_LOAD_BYTES_MAX = 150 * 1024;
const NAMES = ['', ...PAGE_GROUPS.flatMap(({ pages }) => pages.map(({ name }) => name))];

let service: RunningService;
let browser: Browser;
before(async () => {
  service = await startService();
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** What the browser complains of, requests elsewhere, and downloads. */
interface Watched {
  readonly page: Page;
  readonly complaints: string[];
  /** As transferred. */
  bytes: number;
  /** Of these the bytes of pictures. */
  pictureBytes: number;
  /** The requests that are counted. */
  readonly counted: Promise<void>[];
}

async function open(options: BrowserContextOptions): Promise<Watched> {
  const context = await browser.newContext(options);
  await watchRequests(context);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const watched: Watched = { page, complaints: [], bytes: 0, pictureBytes: 0, counted: [] };
  page.on('console', (message) => {
    if (message.type() === 'error') watched.complaints.push(message.text());
  });
  page.on('pageerror', (error) => watched.complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url)) watched.complaints.push(request.url());
  });
  const count = async (request: Request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    watched.bytes += responseBodySize + responseHeadersSize;
    if (request.url().endsWith('.webp')) watched.pictureBytes += responseBodySize;
  };
  page.on('requestfinished', (request) => watched.counted.push(count(request)));
  return watched;
}

const addressOf = (name: string) => `${service.url}/docs/guide/${name}`;

for (const [window, options] of Object.entries(WINDOWS)) {
  test(`on ${window}: every page is as wide as the screen, breaks no rule of its own, and takes at most 150 KB`, async () => {
    for (const name of NAMES) {
      // With a cache of its own.
      const watched = await open(options);
      await watched.page.goto(addressOf(name), { timeout: 180_000 });
      await watched.page.evaluate('document.fonts.ready');
      const hasPictures = (await watched.page.locator('article img').count()) > 0;
      await untilAtRest(watched.page);
      await Promise.all(watched.counted);
      const beyond = await watched.page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(beyond, 0, `${name} is wider than the screen`);
      // A phone loads the pictures below the screen, too: small there, they are near.
      const bytes = watched.bytes - (options === PHONE_DARK ? watched.pictureBytes : 0);
      assert.ok(bytes > 10_000 && bytes <= FIRST_LOAD_BYTES_MAX, `${name}: ${bytes} bytes`);
      assert.equal(watched.pictureBytes > 0, hasPictures, name);
      assert.deepEqual(watched.complaints, [], name);
      await watched.page.context().close();
    }
  });

  for (const name of ['', 'install', 'command-line', 'limits']) {
    test(`on ${window}: /docs/guide/${name} is accessible`, async () => {
      const { page } = await open(options);
      await page.goto(addressOf(name), { timeout: 180_000 });
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.context().close();
    });
  }
}

test('the search finds a section by its words and a misspelt one, by keys alone', async () => {
  const { page, complaints } = await open(DESK);
  await page.goto(addressOf('install'), { timeout: 180_000 });
  await page.keyboard.press('/');
  await page.keyboard.type('persnal acces token');
  await page.locator('#results a').first().waitFor();
  await page.getByRole('searchbox').fill('dates and time zones');
  await page.locator('#results a', { hasText: 'Dates and time zones' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/guide\/search#dates-and-time-zones$/);
  await page.getByRole('searchbox').fill('leavers');
  await page.locator('#results a', { hasText: 'Audit questions' }).first().waitFor();
  // Words that are only near it come last.
  await eventually(async () => {
    const leavers = await page.locator('#results a').allInnerTexts();
    assert.match(leavers.slice(0, 3).join('\n'), /Audit questions/);
  });
  await page.getByRole('searchbox').fill('qqqqqqqq');
  await page.getByText('Nothing found for “qqqqqqqq”.').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#results').waitFor({ state: 'hidden' });
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a search that cannot be loaded says so, and works when it can', async () => {
  const { page } = await open(DESK);
  await page.route('**/sections.json', (route) => route.abort());
  await page.goto(addressOf('install'), { timeout: 180_000 });
  await page.getByRole('searchbox').fill('retention');
  await page.getByText('The search could not be loaded. Try again.').waitFor();
  await page.unroute('**/sections.json');
  await page.getByRole('searchbox').fill('audit retention');
  await page.locator('#results a').first().waitFor();
  await page.context().close();
});

test('on a phone the list of pages opens, leads, and is closed on the next page', async () => {
  const { page } = await open(PHONE);
  await page.goto(addressOf('search'), { timeout: 180_000 });
  await page.getByRole('button', { name: 'Pages' }).click();
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Sizing' })
    .click();
  await page.waitForURL(/\/sizing$/);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' });
  await page.context().close();
});

test('an example is copied by its button', async () => {
  const { page } = await open({ ...DESK, permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(addressOf('install'), { timeout: 180_000 });
  const block = page.locator('.code').first();
  await block.hover();
  await block.getByRole('button', { name: 'Copy' }).click();
  await block.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  assert.equal(copied, await block.locator('code').innerText());
  await page.context().close();
});

test('the theme that was chosen in the console is that of the guide', async () => {
  const { page } = await open({ ...DESK, colorScheme: 'light' });
  await page.goto(addressOf(''), { timeout: 180_000 });
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await ground();
  await page.evaluate("localStorage.setItem('cardea.theme', 'dark')");
  await page.reload();
  await eventually(async () => assert.notEqual(await ground(), light));
  await page.context().close();
});
