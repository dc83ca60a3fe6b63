// A served demo company and browsers that look at its console. Every page is watched: an error of a script, anything
// the page's policy refused, a dialog, or a request to another host fails the test that caused it.
// Invariant: the only administrator is the one of startService.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { openChromium } from './chromium.ts';
import { putDemoProfiles } from './demo-profiles.ts';
import { type RunningService, startService } from './service.ts';

/** A name that would run if anybody put it into a page as markup. */
export const HOSTILE = '<img src=x onerror=alert(1)>';
const DATE = '2025-06-30T00:00:00.000Z';
const PEOPLE = 400;
/** Chromium's own line for an answer that is not 2xx; the console tells about those itself. */
const ANSWERED = /^Failed to load resource: /;

export interface ConsoleWorld {
  readonly service: RunningService;
  /** A page of the console, signed in. @param address behind `#` @param token of the administrator, when left out */
  open(address: string, options?: BrowserContextOptions, token?: string): Promise<Page>;
  /** A page that nobody has signed in on. */
  openSignedOut(address: string): Promise<Page>;
  /** What has gone wrong on the pages so far; told once. */
  complaints(): string[];
  /** Lets nobody reach the service, or lets them again. */
  cutOff(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

export async function startConsoleWorld(): Promise<ConsoleWorld> {
  const service = await startService();
  await fill(service);
  const door = new Door(Number(new URL(service.url).port));
  const url = await door.open();
  const browser = await openChromium();
  const told: string[] = [];
  const watched = (options: BrowserContextOptions) => watchedPage(browser, url, options, told);
  return {
    service,
    async open(address, options = {}, given) {
      const page = await watched(options);
      const token = given ?? (await service.token());
      await page.addInitScript({
        content: `sessionStorage.setItem('cardea.token', ${JSON.stringify(token)})`,
      });
      await page.goto(`${url}/console/#${address}`);
      return page;
    },
    async openSignedOut(address) {
      const page = await watched({});
      await page.goto(`${url}/console/#${address}`);
      return page;
    },
    complaints: () => told.splice(0),
    cutOff: () => door.shut(),
    comeBack: async () => {
      await door.open();
    },
    async stop() {
      await browser.close();
      await door.shut();
      await service.stop();
    },
  };
}

/** Serious and critical findings of axe-core on a page, a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: put there by the line above
    const { violations } = await (globalThis as any).axe.run();
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(
        // biome-ignore lint/suspicious/noExplicitAny: as axe-core describes it
        (found: any) => `${found.id}: ${found.nodes.map((node: any) => node.html).join(' | ')}`,
      );
  });
}

async function fill(service: RunningService): Promise<void> {
  const recipe = { seed: 1, identities: PEOPLE, now: Date.parse(DATE) };
  const documents = [...demoDocuments(recipe)];
  const hostile = { _type: 'identity', id: 'hostile', name: HOSTILE, displayName: HOSTILE };
  const attributes = {
    department: HOSTILE,
    jobTitle: '=HYPERLINK("x")',
    city: 'javascript:alert(1)',
  };
  const accounts = [{ id: 'a1', name: HOSTILE, source: { id: 's"1', name: HOSTILE } }];
  await service.addDocuments([...documents, { ...hostile, attributes, accounts }]);
  const users = [...demoAuthUsers({ ...recipe, tenant: 'test' })].slice(0, 20);
  const { documents: importer } = service.cardea;
  const report = await importer.importAuthUsers(
    service.tenantId,
    lines(users.map((user) => ({ ...user, capabilities: [] }))),
  );
  assert.equal(report.failed, 0, JSON.stringify(report.faults));
  await putDemoProfiles(service, 300, DATE);
}

async function* lines(records: readonly unknown[]) {
  let line = 0;
  for (const record of records) yield { line: ++line, text: JSON.stringify(record) };
}

async function watchedPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  told: string[],
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && !ANSWERED.test(message.text())) told.push(message.text());
  });
  page.on('pageerror', (error) => told.push(error.message));
  page.on('dialog', (dialog) => {
    told.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) {
      told.push(`asked ${request.url()}`);
    }
  });
  await page.addInitScript({
    content: `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error('refused by policy: ' + violatedDirective + ' ' + blockedURI);
    });`,
  });
  return page;
}

/** Stands between browser and service, on a port that stays, so that the way can be cut. */
class Door {
  readonly #to: number;
  readonly #through = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  constructor(to: number) {
    this.#to = to;
  }

  async open(): Promise<string> {
    const server = createServer((from) => {
      const on = connect(this.#to, '127.0.0.1');
      for (const socket of [from, on]) {
        this.#through.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#through.delete(socket);
          from.destroy();
          on.destroy();
        });
      }
      from.pipe(on).pipe(from);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  async shut(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#through) socket.destroy();
    await closed;
  }
}
