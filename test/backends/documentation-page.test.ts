// The API page in a real browser: it must come up with nothing but this server, and with nothing refused by its own
// Content-Security-Policy.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { type RunningService, startService } from '../support/service.ts';

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

test('the API page lists the routes, loads nothing from elsewhere and breaks no rule of its own', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.url) && !/^(data|blob):/.test(url)) elsewhere.push(url);
  });
  await page.goto(`${service.url}/docs`, { timeout: 60_000 });
  await page.waitForSelector('.opblock-summary-path', { timeout: 60_000 });
  const paths = await page.locator('.opblock-summary-path').allInnerTexts();
  const shown = paths.map((path) => path.replaceAll('\u200b', ''));
  assert.ok(
    shown.some((path) => path.endsWith('/search')),
    shown.join(' '),
  );
  assert.deepEqual(complaints, []);
  assert.deepEqual(elsewhere, []);
});
