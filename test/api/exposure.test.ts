// What a server says at its start of settings and files that are unsafe outside the machine.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';

/** The warnings of a start with these settings; nothing listens. */
async function warningsAt(dataDir: string, env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const cardea = await compose(parseConfig({ CARDEA_DATA_DIR: dataDir, ...env }), { log });
  await cardea.stop();
  return lines.join('');
}

test('a server that can be reached from outside says at its start what is unsafe', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-exposed-'));
  try {
    const quiet = await warningsAt(dataDir, {});
    assert.doesNotMatch(quiet, /CARDEA_BASE_URL|read by others/);
    chmodSync(dataDir, 0o755);
    const warnings = await warningsAt(dataDir, { CARDEA_HOST: '0.0.0.0' });
    assert.match(warnings, /listens on 0\.0\.0\.0 without TLS/);
    assert.match(warnings, /CARDEA_BASE_URL is not set/);
    assert.match(warnings, /could be read by others \(mode 755\); it is 700 now/);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    assert.doesNotMatch(warnings, /secrets key/);
    const key = join(dataDir, 'own.key');
    writeFileSync(key, 'a'.repeat(64));
    chmodSync(key, 0o640);
    const open = await warningsAt(dataDir, { CARDEA_SECRETS_KEY_FILE: key });
    assert.match(open, /The secrets key .*own\.key can be read by others \(mode 640\): chmod 600/);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
