// The tests that every page of the console has to pass: accessible in both themes, and no wider than
// a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, type ConsoleWorld } from './console-world.ts';

const PHONE = { width: 360, height: 740 };

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
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`the ${name} has no serious accessibility faults in the ${colorScheme} theme`, async () => {
        const page = await world().open(address(), { colorScheme });
        await page.locator('h1').waitFor();
        await page.waitForLoadState('networkidle');
        assert.deepEqual(await accessibilityFaults(page), []);
        await page.context().close();
      });
    }
    test(`the ${name} fits a phone`, async () => {
      const page = await world().open(address(), { viewport: PHONE });
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(wide <= PHONE.width, `the page is ${wide} px wide`);
      for (const field of await page.locator('.filters .field').all()) {
        for (const part of [field, field.locator('select, input').first()]) {
          const box = await part.boundingBox();
          assert.ok(box !== null && box.x + box.width <= PHONE.width, await field.innerText());
        }
      }
      await page.context().close();
    });
  }
}
