// docs/api-clients.md tells the bounds as they are. shell-pages.test.ts runs its commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CREDENTIAL_RULES } from '../../src/service/credentials/credential-kinds.ts';
import { GRANT_TYPES } from '../../src/service/credentials/oauth-client-request.ts';
import { MAX_PER_CLIENT } from '../../src/service/credentials/refresh-tokens.ts';

const page = readFileSync('docs/api-clients.md', 'utf8');

test('the page tells the bounds as they are', () => {
  assert.match(page, new RegExp(`at\\s+most\\s+${CREDENTIAL_RULES.client.limit?.most}\\s+clients`));
  assert.match(page, new RegExp(`at\\s+most\\s+${MAX_PER_CLIENT}\\s+refresh\\s+tokens`));
  for (const grantType of GRANT_TYPES) assert.ok(page.includes(`\`${grantType}\``), grantType);
});
