// Requests of a page that are kept from the service, as on a slow network.
import type { Page } from 'playwright-core';

/** Keeps requests from the service until the returned function is called. */
export async function holdBack(
  page: Page,
  address: string | RegExp,
  method: string,
): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    if (route.request().method() === method) await released;
    await route.continue();
  });
  return release;
}
