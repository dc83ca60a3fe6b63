// A real browser for tests: Debian's Chromium, or the program in CHROMIUM.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The build without windows needs a third of the CPU time to open a page; it is a package of its own. */
const SHELL = '/usr/bin/chromium-headless-shell';
const WHOLE = '/usr/bin/chromium';
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

/**
 * Starts a headless browser; the caller closes it.
 * @param preferred build where both are installed: the whole browser where its speed or its pixels
 *   matter
 */
export async function openChromium(preferred: 'shell' | 'whole' = 'shell'): Promise<Browser> {
  const builds = preferred === 'shell' ? [SHELL, WHOLE] : [WHOLE, SHELL];
  const program = process.env['CHROMIUM'] ?? builds.find((build) => existsSync(build));
  assert.ok(
    program !== undefined && existsSync(program),
    `This test needs Chromium at ${builds.join(' or ')} (or in CHROMIUM)`,
  );
  return chromium.launch({ executablePath: program, args: FLAGS });
}
