import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { configurationDoc } from '../../scripts/generate-configuration-doc.ts';

test('docs/configuration.md is in step with the table of settings', () => {
  assert.equal(readFileSync('docs/configuration.md', 'utf8'), configurationDoc());
});
