import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { configurationDoc, settingsOfLimits } from '../../scripts/generate-configuration-doc.ts';
import { SETTINGS } from '../../src/config/settings/settings.ts';

test('docs/configuration.md or docs/limits.md has every setting, the former each once', () => {
  const rows = [...configurationDoc().matchAll(/^\| `(CARDEA_\w+)`/gm)].map(([, env = '']) => env);
  assert.equal(new Set(rows).size, rows.length);
  const names = Object.values(SETTINGS).map(({ env }) => env);
  assert.deepEqual([...new Set([...rows, ...settingsOfLimits()])].sort(), names.sort());
});

test('docs/configuration.md is in step with the table of settings', () => {
  assert.equal(readFileSync('docs/configuration.md', 'utf8'), configurationDoc());
});
