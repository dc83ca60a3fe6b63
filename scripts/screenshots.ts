// Renews the screenshots of the README from the demo, in Chromium:
//   npm run screenshots
// Seed and date are fixed, so that a picture differs from the last one only where the console or the
// demo changed, and in measured times.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openChromium } from '../test/support/chromium.ts';

const CARDEA = fileURLToPath(import.meta.resolve('../src/cli/main.js'));
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const COMPANY = ['--seed', '1', '--date', '2026-11-20'];

interface Screenshot {
  readonly file: string;
  readonly query: string;
  /** Selected countries. */
  readonly countries: readonly string[];
  readonly browser: BrowserContextOptions;
  /** Brings the page into the state of the picture, once its rows are shown. */
  readonly prepare: (page: Page) => Promise<void>;
}

const SCREENSHOTS: readonly Screenshot[] = [
  {
    file: 'search.png',
    query: 'isManager:true AND @accounts(privileged:true)',
    countries: ['CA', 'SG'],
    browser: { viewport: { width: 1320, height: 690 }, colorScheme: 'light' },
    prepare: async () => {},
  },
  {
    file: 'explain.png',
    query: 'isManager:true AND @accounts(source.name:"Sales Cloud" AND privileged:true)',
    countries: [],
    browser: { viewport: { width: 1200, height: 700 }, colorScheme: 'dark' },
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /^Explain .+/ })
        .nth(1)
        .click();
      await page.getByRole('heading', { name: 'Cost' }).waitFor();
    },
  },
];

const dataDir = mkdtempSync(join(tmpdir(), 'cardea-screenshots-'));
const demo = spawn(
  process.execPath,
  [CARDEA, 'demo', '--data-dir', dataDir, '--port', '0', ...COMPANY],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const ended = once(demo, 'exit');
try {
  const url = await addressOf(demo);
  const token = await requestToken(url);
  const browser = await openChromium();
  try {
    for (const screenshot of SCREENSHOTS) {
      const page = await (await browser.newContext(screenshot.browser)).newPage();
      await take(page, screenshot, url, token);
      process.stdout.write(`docs/images/${screenshot.file}\n`);
    }
  } finally {
    await browser.close();
  }
} finally {
  demo.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}

async function take(page: Page, screenshot: Screenshot, url: string, token: string): Promise<void> {
  await page.addInitScript({
    content: `sessionStorage.setItem('cardea.token', ${JSON.stringify(token)})`,
  });
  const parameters = new URLSearchParams({ q: screenshot.query });
  for (const country of screenshot.countries) {
    parameters.append('is', `attributes.country:${country}`);
  }
  await page.goto(`${url}/console/#/search/identities?${parameters}`);
  await page.getByRole('row').nth(1).waitFor();
  await page.waitForLoadState('networkidle');
  await screenshot.prepare(page);
  await page.screenshot({ path: join(IMAGES, screenshot.file), animations: 'disabled' });
}

/** The address that the demo prints once it listens. @throws Error if it ends before */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The output of the demo is not captured');
  for await (const line of createInterface(stdout)) {
    const [, url] = /^Cardea serves .* at (http\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The demo ended before it listened');
}

async function requestToken(url: string): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(
    readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
  ) as { clientId: string; clientSecret: string };
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  if (!response.ok) throw new Error(`No token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
