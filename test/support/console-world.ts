// A running service with the demo company, and browser pages of its console. The files of a process share
// the browser and, each with a tenant of its own, the service. A script error, a
// violation of the content security policy, a dialog or a request to another host fails the test
// that caused it.
// Invariant: the only administrator is the one of startService.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { shared } from './after-all.ts';
import { untilStill, watchRequests } from './at-rest.ts';
import { openChromium } from './chromium.ts';
import { putDemoProfiles } from './demo-profiles.ts';
import { addServedTenant, lines, type RunningService, startService } from './service.ts';

/** A name that would run a script if it were inserted as markup. */
export const HOSTILE = '<img src=x onerror=alert(1)>';
const DATE = '2025-06-30T00:00:00.000Z';
const PEOPLE = 400;
/** Chromium's message for a response other than 2xx, which the console shows itself. */
const FAILED_RESPONSE = /^Failed to load resource: /;

export interface ConsoleWorld {
  readonly service: RunningService;
  /** The address of the service as browsers use it. */
  readonly url: string;
  /**
   * Opens a page of the console, signed in.
   * @param address without `#`
   * @param token that of the administrator by default
   */
  open(address: string, options?: BrowserContextOptions, token?: string): Promise<Page>;
  /** Opens a page of the console without a session. */
  openSignedOut(address: string, options?: BrowserContextOptions): Promise<Page>;
  /**
   * Closes the pages of a test, which would go on drawing and polling.
   * @throws AssertionError with the faults of the pages
   */
  endTest(): Promise<void>;
  /** Makes the service unreachable, or reachable again. */
  cutOff(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

const sharedBrowser = shared(openChromium, (browser) => browser.close());
const sharedService = shared(startService, (service) => service.stop());
let tenants = 0;

/**
 * @param settings for a service of its own, as environment variables
 * @param allowed another origin that pages may request
 */
export async function startConsoleWorld(
  settings: Record<string, string> | null = null,
  allowed: string | null = null,
): Promise<ConsoleWorld> {
  const service =
    settings === null
      ? await addServedTenant(await sharedService(), `company${++tenants}`)
      : await startService(settings);
  await fill(service);
  const proxy = new TcpProxy(Number(new URL(service.url).port));
  const url = await proxy.open();
  const browser = await sharedBrowser();
  const faults: string[] = [];
  const origins = [url, ...(allowed === null ? [] : [allowed])];
  const watched = (options: BrowserContextOptions) =>
    watchedPage(browser, origins, options, faults);
  return {
    service,
    url,
    async open(address, options = {}, chosenToken) {
      const page = await watched(options);
      const token = chosenToken ?? (await service.token());
      await page.addInitScript({
        content: `sessionStorage.setItem('cardea.token', ${JSON.stringify(token)})`,
      });
      await page.goto(`${url}/console/#${address}`);
      return page;
    },
    async openSignedOut(address, options = {}) {
      const page = await watched(options);
      await page.goto(`${url}/console/#${address}`);
      return page;
    },
    async endTest() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      assert.deepEqual(faults.splice(0), []);
    },
    cutOff: () => proxy.shut(),
    comeBack: async () => {
      await proxy.open();
    },
    async stop() {
      await proxy.shut();
      await service.stop();
    },
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Serious and critical findings of axe-core on a page, once nothing of it moves.
 * @param rules all by default
 */
export async function accessibilityFaults(
  page: Page,
  rules?: readonly string[],
): Promise<string[]> {
  await untilStill(page);
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  // Without a list of what passes, axe takes a third less time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return page.evaluate(async (chosen) => {
    // biome-ignore lint/suspicious/noExplicitAny: defined by the script above
    const { violations } = await (globalThis as any).axe.run(chosen);
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(
        // biome-ignore lint/suspicious/noExplicitAny: a finding of axe-core
        (rule: any) => `${rule.id}: ${rule.nodes.map((node: any) => node.html).join(' | ')}`,
      );
  }, options);
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
    operatorOf(service.tenantId),
    lines(users.map((user) => ({ ...user, capabilities: [] }))),
  );
  assert.equal(report.failed, 0, JSON.stringify(report.faults));
  await putDemoProfiles(service, 300, DATE);
}

async function watchedPage(
  browser: Browser,
  origins: readonly string[],
  options: BrowserContextOptions,
  faults: string[],
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // Those that a test opens in further tabs, too.
  await watchRequests(context);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && !FAILED_RESPONSE.test(message.text()))
      faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const isAllowed = origins.some((origin) => request.url().startsWith(`${origin}/`));
    if (!isAllowed && !/^(data|blob):/.test(request.url())) {
      faults.push(`request to ${request.url()}`);
    }
  });
  await page.addInitScript({
    content: `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error('refused by policy: ' + violatedDirective + ' ' + blockedURI);
    });`,
  });
  return page;
}

/** A TCP proxy between browser and service on a fixed port, which can be closed. */
class TcpProxy {
  readonly #to: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  constructor(to: number) {
    this.#to = to;
  }

  async open(): Promise<string> {
    const server = createServer((from) => {
      const upstream = connect(this.#to, '127.0.0.1');
      for (const socket of [from, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          from.destroy();
          upstream.destroy();
        });
      }
      from.pipe(upstream).pipe(from);
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
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
