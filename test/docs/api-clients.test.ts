// docs/limits.md tells the bounds of API clients as they are, docs/api-clients.md their grant types. shell-pages.test.ts
// runs its commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CREDENTIAL_RULES } from '../../src/service/credentials/credential-kinds.ts';
import { GRANT_TYPES } from '../../src/service/credentials/oauth-client-request.ts';
import { MAX_PER_CLIENT } from '../../src/service/credentials/refresh-tokens.ts';

test('the pages tell the bounds and grant types as they are', () => {
  const limits = readFileSync('docs/limits.md', 'utf8');
  const { limit } = CREDENTIAL_RULES.client;
  assert.match(limits, new RegExp(`^\\| \\[API clients\\].* \\| ${limit?.most} \\|$`, 'm'));
  assert.match(
    limits,
    new RegExp(`^\\| refresh tokens of a client .* \\| ${MAX_PER_CLIENT} \\|$`, 'm'),
  );
  const page = readFileSync('docs/api-clients.md', 'utf8');
  for (const grantType of GRANT_TYPES) assert.ok(page.includes(`\`${grantType}\``), grantType);
});
