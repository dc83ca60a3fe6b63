// suite: slow
// The commands of docs/profiles.md "Try it on the demo" are put to the demo they are about, and answer as it says. So are
// the saved searches of the demo.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { DemoProfiles } from '../../src/demo/profiles.ts';
import { caller, withApiKey } from '../support/api-key.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { type RunningService, startService } from '../support/service.ts';
import { curlExamplesOf } from './curl-examples.ts';

/** What `cardea demo` makes unless told otherwise. */
const [PROFILES, IDENTITIES] = [5000, 2000];
const DATE = '2025-06-30T00:00:00.000Z';

/** What first-steps.sh sets; the test has a service of its own. */
const page = readFileSync('docs/profiles.md', 'utf8').replaceAll('$SAIL_BASE_URL', '$URL');
const [section = ''] = /^## Try it on the demo\n.*?(?=^## )/ms.exec(page) ?? [];
const examples = curlExamplesOf(section);

let service: RunningService;
let key: string;
let demo: DemoProfiles;
before(async () => {
  service = await startService({ CARDEA_TESTING: 'on', CARDEA_NOW: DATE });
  ({ key } = await withApiKey(service));
  demo = await putDemoProfiles(service, PROFILES, DATE, IDENTITIES);
});
after(() => service.stop());

test('the section has a command of each kind', () => {
  assert.deepEqual([...new Set(examples.map(({ method }) => method))], ['GET', 'POST', 'PATCH']);
  assert.ok(examples.length >= 7);
});

test('every saved search finds somebody', async () => {
  const call = caller(service.url, `Bearer ${key}`);
  for (const { uid } of demo.searches()) {
    const path = `/api/advanced_search/${uid}/run?metadata=true&limit=1`;
    const { status, body } = await call('GET', path);
    assert.equal(status, 200);
    assert.ok(body._metadata.total > 0, `${uid} finds nobody`);
  }
});

for (const { method, path, headers, body, claims } of examples) {
  test(`${method} ${path} answers ${claims.join(', ') || 'something'}`, () =>
    check(method, path, headers, body, claims));
}

test('the command of the README finds somebody', async () => {
  const readme = readFileSync('README.md', 'utf8').replaceAll('$SAIL_BASE_URL', '$URL');
  const [command = ''] = /^curl .*advanced_search.*$/m.exec(readme) ?? [];
  const [example] = curlExamplesOf(`\`\`\`sh\n${command}\n\`\`\`\n`);
  assert.ok(example);
  const { method, path, headers, body } = example;
  await check(method, path, headers, body, ['"status":"Active"']);
});

async function check(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  sent: string | undefined,
  claims: readonly string[],
): Promise<void> {
  const { authorization = '', ...others } = headers;
  const call = caller(service.url, authorization.replace('$NERM_TOKEN', key));
  const { status, body } = await call(method, path, sent, others);
  const text = JSON.stringify(body);
  assert.equal(status, 200, text);
  if (body.profiles !== undefined) assert.ok(body.profiles.length > 0, 'nobody is found');
  for (const claim of claims) {
    const [, total] = /^([\d,?]+) in all$/.exec(claim) ?? [];
    if (total === undefined) assert.ok(text.includes(claim), `${claim} is not in ${text}`);
    else assert.equal(body._metadata.total.toLocaleString('en-US'), total);
  }
}
