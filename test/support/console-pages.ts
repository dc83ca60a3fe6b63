// The tests that every page of the console has to pass: accessible, and no wider than the screen, in
// both themes, on a phone and at 200 % zoom.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { untilAtRest, untilStill } from './at-rest.ts';
import { accessibilityFaults, type ConsoleWorld } from './console-world.ts';

/** Browser windows that a page is opened in, by name. */
export const WINDOWS: Readonly<Record<string, BrowserContextOptions>> = {
  'at a desk': { viewport: { width: 1280, height: 800 } },
  'on a phone': { viewport: { width: 360, height: 740 } },
};
/** A desk at 200 % zoom: a window of half as many CSS pixels. */
const ZOOMED = { width: 640, height: 400 };
/** The rules of axe-core that depend on colours, which is all that a theme changes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Adds the tests of each page.
 * @param world is called when the tests run
 * @param pages addresses by name
 */
export function testPages(
  world: () => ConsoleWorld,
  pages: Readonly<Record<string, () => string>>,
): void {
  for (const [name, address] of Object.entries(pages)) {
    for (const [window, options] of Object.entries(WINDOWS)) {
      test(`${name}, ${window}: accessible, and not wider than the screen`, async () => {
        const page = await world().open(address(), options);
        await page.locator('main h1').waitFor();
        await untilAtRest(page);
        await assertUsable(page);
      });
    }
  }
}

/**
 * Checks an open page in both themes and, at a desk, zoomed to 200 %, as a user switches and zooms.
 * @throws AssertionError if the page is not accessible, or wider than the screen
 */
export async function assertUsable(page: Page): Promise<void> {
  const faults: Record<string, string[]> = {};
  faults['in the light theme'] = await accessibilityFaults(page);
  await assertFits(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  faults['in the dark theme'] = await accessibilityFaults(page, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  const window = page.viewportSize();
  if (window !== null && window.width > ZOOMED.width) {
    await zoom(page);
    faults['at 200 % zoom'] = await accessibilityFaults(page);
    await assertFits(page);
    await page.setViewportSize(window);
    await untilStill(page);
  }
  const none = Object.keys(faults).map((screen) => [screen, []]);
  assert.deepEqual(faults, Object.fromEntries(none));
}

async function zoom(page: Page): Promise<void> {
  await page.setViewportSize(ZOOMED);
  const devtools = await page.context().newCDPSession(page);
  const screen = { ...ZOOMED, deviceScaleFactor: 2, mobile: false };
  await devtools.send('Emulation.setDeviceMetricsOverride', screen);
}

/** @throws AssertionError if the page, or a filter of a list, is wider than the screen */
export async function assertFits(page: Page): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(wide <= width, `the page is ${wide} px wide`);
  for (const field of await page.locator('.filters .field').all()) {
    for (const part of [field, field.locator('select, input').first()]) {
      const box = await part.boundingBox();
      assert.ok(box !== null && box.x + box.width <= width, await field.innerText());
    }
  }
}
