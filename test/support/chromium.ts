// A real browser for tests: Debian's Chromium, or the one that CHROMIUM names.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** No sandbox, because containers have none; nothing that calls home. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser without a window; the caller closes it. */
export async function openChromium(): Promise<Browser> {
  assert.ok(existsSync(CHROMIUM), `This test needs Chromium at ${CHROMIUM} (or named by CHROMIUM)`);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
