// Whether a page of the console has nothing more to do. Playwright's `networkidle` is no such thing: a page
// reaches it once, and whoever waits for it after a later step waits for nothing.
import assert from 'node:assert/strict';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { eventually } from './eventually.ts';

/** What an answer may change is drawn, and requested, within so many frames. */
const FRAMES = 4;
const FRAME = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';

/**
 * Runs in each page: counts the calls that are not answered, and all of them. Playwright is not told of the end of
 * each call that a page gives up.
 */
const COUNT_CALLS = `{
  const calls = { open: 0, started: 0 };
  globalThis.calls = calls;
  const counted = (call) => async function (...values) {
    calls.open += 1;
    calls.started += 1;
    try {
      return await call.apply(this, values);
    } finally {
      calls.open -= 1;
    }
  };
  globalThis.fetch = counted(fetch);
  for (const part of ['arrayBuffer', 'blob', 'json', 'text'])
    Response.prototype[part] = counted(Response.prototype[part]);
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (...values) {
    this.addEventListener('loadend', () => { calls.open -= 1; });
    calls.open += 1;
    calls.started += 1;
    return send.apply(this, values);
  };
}`;
const CALLS = new Set(['fetch', 'xhr']);

/** The files that each page loads: scripts, styles, fonts, pictures. */
const loading = new WeakMap<Page, Set<Request>>();

/** Watches the requests of all pages of a context, which has none yet. */
export async function watchRequests(context: BrowserContext): Promise<void> {
  context.on('page', (page) => {
    const open = new Set<Request>();
    loading.set(page, open);
    page.on('request', (request) => {
      // Requests of a document that is replaced may never be said to end.
      if (request.isNavigationRequest()) open.clear();
      else if (!CALLS.has(request.resourceType())) open.add(request);
    });
    page.on('requestfinished', (request) => open.delete(request));
    page.on('requestfailed', (request) => open.delete(request));
  });
  await context.addInitScript({ content: COUNT_CALLS });
}

/** Waits until the page has drawn what was done to it. */
export async function untilDrawn(page: Page): Promise<void> {
  for (let frames = 0; frames < FRAMES; frames += 1) await page.evaluate(FRAME);
}

/**
 * Waits until every request of the page is answered and drawn, and has led to no further one. Text that is
 * typed is searched for a moment later: first wait for its address.
 */
export async function untilAtRest(page: Page): Promise<void> {
  const open = loading.get(page);
  assert.ok(open !== undefined, 'the page is not watched');
  const started = async () => {
    assert.deepEqual(
      [...open].map((request) => request.url()),
      [],
    );
    const calls = await page.evaluate<{ open: number; started: number }>('globalThis.calls');
    assert.equal(calls.open, 0, 'calls are not answered');
    return calls.started;
  };
  await eventually(async () => {
    const before = await started();
    await untilDrawn(page);
    assert.equal(await started(), before, 'there are new calls');
  });
}

/**
 * Waits until the page is laid out for its window, has ended its transitions, and shows no content that is about
 * to be replaced, which is pale on purpose.
 */
export async function untilStill(page: Page): Promise<void> {
  await untilDrawn(page);
  await page.locator('[data-stale="true"]').first().waitFor({ state: 'detached' });
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished))`);
}
