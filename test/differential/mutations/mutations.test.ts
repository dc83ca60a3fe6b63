// Every mutation of the scripted runs still applies to the code as it is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../../mutation/built-copy.ts';
import { applyMutation } from '../../mutation/with-mutant.ts';
import { MUTATIONS } from './mutations.ts';
import { LEAKS } from './view-mutations.ts';

for (const mutation of [...MUTATIONS, ...LEAKS]) {
  test(`applies to ${mutation.file}: ${mutation.why}`, () => {
    const text = readFileSync(join(CHECKOUT, mutation.file), 'utf8');
    assert.notEqual(applyMutation(text, mutation), text);
  });
}
