// The API page in a real browser: it must come up with nothing but this server, and with nothing refused by its own
// Content-Security-Policy, and its first clicks must work.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { startTenant, type TestTenant } from '../../src/testing/index.ts';
import { openChromium } from '../support/chromium.ts';
import { eventually, untilReads } from '../support/eventually.ts';

let tenant: TestTenant;
let browser: Browser;
let page: Page;
/** Errors of the page, and requests to other hosts. */
let complaints: string[] = [];

before(async () => {
  tenant = await startTenant({ identities: 20, profiles: 10, seed: 4 });
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await tenant?.close();
});
beforeEach(async () => {
  complaints = [];
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(tenant.baseUrl) && !/^(data|blob):/.test(url)) complaints.push(url);
  });
  await page.goto(`${tenant.baseUrl}/docs`);
  await page.waitForSelector('.opblock-tag');
});
afterEach(async () => {
  await page.close();
  assert.deepEqual(complaints, []);
});

async function shownPaths(): Promise<string[]> {
  const paths = await page.locator('.opblock-summary-path').allInnerTexts();
  return paths.map((path) => path.replaceAll('\u200b', ''));
}

test('groups are closed until the filter matches operations in them', async () => {
  assert.deepEqual(await shownPaths(), []);
  await page.fill('input.filter', 'list profile');
  await eventually(async () => {
    const shown = await shownPaths();
    assert.ok(shown.includes('/api/profiles'), shown.join(' '));
    assert.ok(!shown.includes('/search'), shown.join(' '));
  });
});

test('each operation is shown at one path', async () => {
  await page.fill('input.filter', '/s');
  let shown: string[] = [];
  await eventually(async () => {
    shown = await shownPaths();
    assert.ok(shown.includes('/search/count'), shown.join(' '));
  });
  assert.deepEqual(
    shown.filter((path) => /^[/]search[/]v1/.test(path)),
    [],
  );
});

test('an operation fits into the width of a telephone', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.fill('input.filter', 'issueToken');
  await page.locator('[id$="-issueToken"] .opblock-summary-control').click();
  await page.getByRole('button', { name: 'Execute' }).waitFor();
  await untilReads(() => page.evaluate('document.documentElement.scrollWidth'), 390);
});

test('the page leads to the console', async () => {
  await page.getByRole('link', { name: 'Console' }).click();
  await page.waitForURL(`${tenant.baseUrl}/console/**`);
});

test('an id and a secret, typed in once, execute a token, a search, a list and a profile', async () => {
  const { clientId, clientSecret } = tenant.credentials;
  await page.locator('.btn.authorize').click();
  const dialog = page.locator('.modal-ux');
  await dialog.getByLabel('client_id').fill(clientId);
  await dialog.getByLabel('client_secret').fill(clientSecret);
  await dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
  await dialog.getByText('Logout').first().waitFor();
  await dialog.getByRole('button', { name: 'Close' }).first().click();

  const token = await executed('issueToken');
  assert.equal(token.token_type, 'bearer');
  assert.ok((await executed('search')).length > 0);
  assert.ok((await executed('listIdentities')).length > 0);
  const [{ id }] = await executed('listProfiles');
  const { profile } = await executed('getProfile', { id });
  assert.equal(profile.id, id);
});

/** The body of the answer to an operation as the page offers it, but for the given parameters. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies of several operations
async function executed(name: string, parameters: Record<string, string> = {}): Promise<any> {
  await page.fill('input.filter', name);
  const operation: Locator = page.locator(`[id$="-${name}"]`);
  await operation.locator('.opblock-summary-control').click();
  for (const [parameter, value] of Object.entries(parameters)) {
    await operation.locator(`tr[data-param-name="${parameter}"] input`).fill(value);
  }
  const answered = page.waitForResponse((response) => !response.url().includes('/docs/'));
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = await answered;
  assert.equal(answer.status(), 200, `${name}: ${await answer.text()}`);
  return answer.json();
}
