// The curl commands of docs/api-clients.md are run against a service from the first to the last, each with what the ones before
// it answered, and the answers hold what the page says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { CREDENTIAL_RULES } from '../../src/service/credentials/credential-kinds.ts';
import { GRANT_TYPES } from '../../src/service/credentials/oauth-client-request.ts';
import { MAX_PER_CLIENT } from '../../src/service/credentials/refresh-tokens.ts';
import { documented } from '../support/documented.ts';
import { type RunningService, startService } from '../support/service.ts';
import { curlExamplesOf } from './curl-examples.ts';

const page = readFileSync('docs/api-clients.md', 'utf8').replaceAll('$SAIL_BASE_URL', '$URL');

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments([
    { _type: 'identity', id: 'ada', name: 'Ada.Lovelace', displayName: 'Ada Lovelace' },
  ]);
});
after(() => service.stop());

/** Shell variables of the page, by the member of an answer that they are set to. */
const VARIABLES: Readonly<Record<string, string>> = {
  id: 'CLIENT_ID',
  secret: 'CLIENT_SECRET',
  access_token: 'APP_TOKEN',
  refresh_token: 'REFRESH_TOKEN',
};

test('the commands of the page answer what it says', async () => {
  const variables = new Map([['TOKEN', await service.token()]]);
  const filled = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables.get(name);
      assert.ok(value, `nothing before has set ${name}`);
      return value;
    });
  const examples = curlExamplesOf(page);
  assert.equal(examples.length, 7);
  for (const { method, path, headers, body, claims } of examples) {
    const answer = await fetch(`${service.url}${filled(path)}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        filled(value),
      ]),
      ...(body === undefined ? {} : { body: filled(body) }),
    });
    await documented(method, filled(path), answer);
    const text = await answer.text();
    assert.equal(answer.status, method === 'DELETE' ? 204 : 200, `${method} ${path}: ${text}`);
    for (const claim of claims) assert.ok(text.includes(claim), `${claim} is not in ${text}`);
    if (!text.startsWith('{')) continue;
    for (const [member, value] of Object.entries(JSON.parse(text) as object)) {
      const name = VARIABLES[member];
      if (name !== undefined && typeof value === 'string') variables.set(name, value);
    }
  }
  assert.deepEqual([...variables.keys()].sort(), ['TOKEN', ...Object.values(VARIABLES)].sort());
});

test('the page tells the bounds as they are', () => {
  assert.match(page, new RegExp(`at\\s+most\\s+${CREDENTIAL_RULES.client.limit?.most}\\s+clients`));
  assert.match(page, new RegExp(`at\\s+most\\s+${MAX_PER_CLIENT}\\s+refresh\\s+tokens`));
  for (const grantType of GRANT_TYPES) assert.ok(page.includes(`\`${grantType}\``), grantType);
});
