// Requests of a page that are kept from the service, as on a slow network.
import type { Page } from 'playwright-core';

/**
 * Keeps requests from the service until the returned function is called.
 * @param method null: any
 * @param status answers them then instead of the service; null: they are passed on
 */
export async function holdBack(
  page: Page,
  address: string | RegExp,
  method: string | null,
  status: number | null = null,
): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    const isHeld = method === null || route.request().method() === method;
    if (isHeld) await released;
    if (isHeld && status !== null) await route.fulfill({ status, json: {} });
    else await route.continue();
  });
  return release;
}
