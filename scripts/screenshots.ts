// Renews the screenshots of the README and of docs/console.md from the demo, in Chromium:
//   npm run screenshots
// Seed and date are fixed, so that a picture differs from the last one only where the console or the
// demo changed, and in measured times.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openChromium } from '../test/support/chromium.ts';
import { startDemo } from '../test/support/demo-process.ts';

const CARDEA = fileURLToPath(import.meta.resolve('../src/cli/main.js'));
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** Of WebP, which takes a third of PNG: a better one looks no better. */
const QUALITY = 50;
const COMPANY = ['--seed', '1', '--date', '2026-11-20'];

interface Screenshot {
  readonly file: string;
  /** The address of the page, without `#`. */
  readonly address: string;
  readonly browser: BrowserContextOptions;
  /** Brings the page into the state of the picture, once it is loaded. */
  readonly prepare: (page: Page) => Promise<void>;
}

const NOTHING = async () => {};

const SCREENSHOTS: readonly Screenshot[] = [
  {
    file: 'search.webp',
    address: searchFor('isManager:true AND @accounts(privileged:true)', ['CA', 'SG']),
    browser: { viewport: { width: 1440, height: 760 }, colorScheme: 'light' },
    prepare: NOTHING,
  },
  {
    file: 'explain.webp',
    address: searchFor(
      'isManager:true AND @accounts(source.name:"Sales Cloud" AND privileged:true)',
    ),
    browser: { viewport: { width: 1200, height: 700 }, colorScheme: 'dark' },
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /^Explain why/ })
        .nth(1)
        .click();
      await page.getByRole('heading', { name: 'Cost' }).waitFor();
    },
  },
  {
    file: 'missing.webp',
    address: searchFor(
      'attributes.department:Sales AND @access(privileged:true) AND NOT inactive:true',
    ),
    browser: { viewport: { width: 1200, height: 640 }, colorScheme: 'light' },
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Why missing?' }).click();
      await page.getByLabel('Name or email of the person').fill('robert hughes');
      await page.getByRole('list', { name: 'Matches' }).getByRole('button').first().click();
      await page.locator('.condition').nth(2).waitFor();
      await page.waitForLoadState('networkidle');
    },
  },
  {
    file: 'person.webp',
    address: '/document/identities/f4fae3ec64f6805725aa42ded4e7156d?tab=accounts',
    browser: { viewport: { width: 1480, height: 640 }, colorScheme: 'light' },
    prepare: NOTHING,
  },
  {
    file: 'access-graph.webp',
    address: '/document/identities/3276a8de6306ca8ad53b72356761d5e7?tab=access&view=graph',
    browser: { viewport: { width: 1480, height: 900 }, colorScheme: 'light' },
    prepare: async (page) => {
      await page.locator('.graph-node-role').nth(1).hover();
      await page.locator('.graph-item[data-dim=true]').first().waitFor();
    },
  },
  {
    file: 'dashboard.webp',
    address: '/dashboard',
    browser: { viewport: { width: 1440, height: 780 }, colorScheme: 'dark' },
    prepare: NOTHING,
  },
  {
    file: 'phone.webp',
    address: searchFor('claire'),
    browser: { viewport: { width: 390, height: 760 }, colorScheme: 'light' },
    prepare: NOTHING,
  },
];

/** @param countries selected values of a facet */
function searchFor(query: string, countries: readonly string[] = []): string {
  const parameters = new URLSearchParams({ q: query });
  for (const country of countries) parameters.append('is', `attributes.country:${country}`);
  return `/search/identities?${parameters}`;
}

const dataDir = mkdtempSync(join(tmpdir(), 'cardea-screenshots-'));
const demo = await startDemo(CARDEA, dataDir, COMPANY);
try {
  const token = await demo.token();
  const browser = await openChromium('whole');
  try {
    for (const screenshot of SCREENSHOTS) {
      const page = await (
        await browser.newContext({ ...screenshot.browser, reducedMotion: 'reduce' })
      ).newPage();
      await take(page, screenshot, demo.credentials.baseUrl, token);
      process.stdout.write(`docs/images/${screenshot.file}\n`);
    }
  } finally {
    await browser.close();
  }
} finally {
  await demo.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function take(page: Page, screenshot: Screenshot, url: string, token: string): Promise<void> {
  await page.addInitScript({
    content: `sessionStorage.setItem('cardea.token', ${JSON.stringify(token)})`,
  });
  await page.goto(`${url}/console/#${screenshot.address}`);
  await page.locator('main').waitFor();
  await page.waitForLoadState('networkidle');
  await screenshot.prepare(page);
  const session = await page.context().newCDPSession(page);
  const shot = { format: 'webp', quality: QUALITY } as const;
  const { data } = await session.send('Page.captureScreenshot', shot);
  writeFileSync(join(IMAGES, screenshot.file), data, 'base64');
}
