// A real browser for tests: Debian's Chromium, or the program in CHROMIUM.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** No sandbox, which containers do not support, and no background network traffic. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a headless browser; the caller closes it. */
export async function openChromium(): Promise<Browser> {
  assert.ok(existsSync(CHROMIUM), `This test needs Chromium at ${CHROMIUM} (or in CHROMIUM)`);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
