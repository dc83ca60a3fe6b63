// The tests that every page of the console has to pass: accessible, and no wider than the screen, in
// both themes, on a phone and at 200 % zoom.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, type ConsoleWorld } from './console-world.ts';

/** Browser windows by name. At 200 % zoom a window of 1280 × 800 px has half as many CSS pixels. */
export const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  'in the light theme': { colorScheme: 'light' },
  'in the dark theme': { colorScheme: 'dark' },
  'on a phone': { viewport: { width: 360, height: 740 } },
  'at 200 % zoom': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
};

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
    for (const [screen, options] of Object.entries(SCREENS)) {
      test(`${name}, ${screen}: accessible, and not wider than the screen`, async () => {
        const page = await world().open(address(), options);
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        // Stale content is pale on purpose, so wait until it is replaced.
        await page.locator('[data-stale="true"]').first().waitFor({ state: 'detached' });
        assert.deepEqual(await accessibilityFaults(page), []);
        await assertFits(page);
        await page.context().close();
      });
    }
  }
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
