// The pages of administration in a real browser: status, data, mirror, tests, advice, audit, tokens
// and clients, who is offered which, and the accessibility of each by axe-core.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, tokenOf } from '../../support/callers.ts';
import { assertUsable, testPages } from '../../support/console-pages.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld({ CARDEA_TESTING: 'on' });
});
after(() => world?.stop());
afterEach(() => world.endTest());

async function labels(page: Page): Promise<string[]> {
  const text = await page.getByRole('navigation', { name: 'Pages' }).innerText();
  return text.split('\n').filter((label) => label !== '');
}

test('offers the pages that server and user have', async () => {
  const page = await world.open('/search');
  await page.getByRole('link', { name: 'Advice' }).waitFor();
  const tenant = ['Search', 'Dashboards', 'Profiles', 'Auth users'];
  const service = ['Audit', 'Tokens', 'Clients', 'Views', 'Status', 'Data'];
  await untilReads(() => labels(page), [...tenant, 'Tests', 'Advice', ...service]);
});

for (const [capability, expected] of [
  ['HELPDESK', ['Profiles', 'Auth users', 'Tokens', 'Status']],
  ['ROLE_ADMIN', ['Search', 'Dashboards', 'Auth users', 'Audit', 'Tokens', 'Status', 'Data']],
] as const) {
  test(`offers ${capability} the pages that it may use, without faults`, async () => {
    const helper = await addUser(world.service, { capabilities: [capability] });
    const page = await world.open('/status', {}, await tokenOf(world.service.url, helper));
    await page.getByText('The service is ready').waitFor();
    await untilAtRest(page);
    await untilReads(() => labels(page), [...expected]);
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal(await page.getByRole('region', { name: 'This node' }).count(), 0);
  });
}

test('begins with the first page that the user may use', async () => {
  const helper = await addUser(world.service, { capabilities: ['HELPDESK'] });
  const page = await world.open('/', {}, await tokenOf(world.service.url, helper));
  await page.getByRole('heading', { level: 1, name: 'Profiles' }).waitFor();
  const administrator = await world.open('/');
  await administrator.locator('.rows-all .row').first().waitFor();
});

test('opens the pages from a menu with labels on a phone', async () => {
  const page = await world.open('/status', { viewport: { width: 360, height: 740 } });
  await page.getByRole('button', { name: 'Status' }).click();
  const sheet = page.getByRole('dialog', { name: 'Pages' });
  await sheet.getByRole('link', { name: 'Clients' }).click();
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Clients' }).waitFor();
});

test('shows who changed what with the values before and after, and narrows to it', async () => {
  const { service } = world;
  const { userId } = await addUser(service, { capabilities: ['HELPDESK'] });
  const patch = [{ op: 'replace', path: '/capabilities', value: ['ROLE_ADMIN'] }];
  const type = { 'content-type': 'application/json-patch+json' };
  await service.call('PATCH', `/v2024/auth-users/${userId}`, patch, type);
  const sequence = await service.cardea.services.status.lastSequence();
  await service.cardea.services.status.waitUntilSearchable(sequence, 60_000);
  const page = await world.open('/audit');
  const rows = page.getByRole('region', { name: 'Recorded events' }).getByRole('row');
  await rows.filter({ hasText: 'Capability update event' }).first().waitFor();
  assert.equal(await rows.filter({ hasText: 'Personal access token used' }).count(), 0);
  await page.getByLabel('Target or ID').fill(userId);
  await page.getByLabel('Target or ID').press('Enter');
  await page.waitForURL(new RegExp(`target=${userId}`));
  await untilAtRest(page);
  const row = rows.filter({ hasText: 'Capability update event' });
  await row.getByRole('cell', { name: 'capabilities', exact: true }).waitFor();
  await row.getByRole('button', { name: /^Details of/ }).click();
  const detail = page.getByRole('dialog', { name: 'Capability update event' });
  const change = detail.getByRole('row', { name: /^capabilities/ });
  await untilReads(() => change.getByRole('cell').allInnerTexts(), ['HELPDESK', 'ROLE_ADMIN']);
  await detail.getByText('127.0.0.1').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await detail.getByRole('link', { name: 'All by this actor' }).click();
  await page.waitForURL(/show=all&actor=test.admin/);
  await rows.filter({ hasText: 'Personal access token used' }).first().waitFor();
});

test('finds failed sign-ins, and offers to clear filters that match nothing', async () => {
  const form = { grant_type: 'client_credentials', client_id: world.service.clientId };
  const body = new URLSearchParams({ ...form, client_secret: 'wrong' });
  const refused = await fetch(`${world.service.url}/oauth/token`, { method: 'POST', body });
  assert.equal(refused.status, 401);
  const page = await world.open('/audit?show=sign-ins&failed=');
  const rows = page.getByRole('region', { name: 'Recorded events' }).getByRole('row');
  const failed = rows.filter({ hasText: 'FAILED' }).first();
  // The event of a failed request is written a moment later.
  await eventually(async () => {
    await page.reload();
    await untilAtRest(page);
    assert.equal(await failed.count(), 1, 'the failed sign-in is listed');
  });
  await failed.getByRole('button', { name: /^Details of/ }).click();
  const detail = page.getByRole('dialog', { name: 'Personal access token use failed' });
  await detail.getByText('secret', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Actor').fill('nobody-at-all');
  await page.getByLabel('Actor').press('Enter');
  await page.getByText('No matching events').waitFor();
  await page.getByRole('link', { name: 'Clear all filters' }).click();
  await rows.nth(1).waitFor();
});

test('keeps action and time of the audit in the address, and pages through all events', async () => {
  const page = await world.open('/audit?show=all');
  const status = page.getByRole('status').filter({ hasText: 'events' });
  await status.waitFor();
  await untilAtRest(page);
  const total = Number.parseInt((await status.innerText()).replace(',', ''), 10);
  const rows = page.getByRole('region', { name: 'Recorded events' }).getByRole('button');
  for (const more = page.getByRole('button', { name: 'Show more' }); (await more.count()) > 0; ) {
    const before = await rows.count();
    await more.click();
    await rows.nth(before).waitFor();
    await untilAtRest(page);
  }
  assert.equal(await rows.count(), total);
  await page.getByLabel('Action').selectOption({ label: 'Personal access token used' });
  await page.waitForURL(/action=PERSONAL_ACCESS_TOKEN_USED/);
  await page.getByLabel('Time').selectOption('Last 24 hours');
  await page.waitForURL(/in=now-24h/);
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2020-01-31');
  await page.waitForURL(/2020-01-01%7C2020-02-01/);
  await page.getByText('No matching events').waitFor();
});

test('exports the events of the filters as CSV', async () => {
  const page = await world.open('/audit?show=sign-ins');
  await page.getByRole('region', { name: 'Recorded events' }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'audit.csv');
  const [header, ...lines] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.match(String(header), /created,actor\.name,attributes\.actorId,action/);
  assert.ok(lines.length > 0);
  assert.ok(lines.every((line) => line.includes('AUTHENTICATION_REQUEST')));
  const outcome = page.getByText(`${lines.length} events exported`);
  await outcome.waitFor();
  await page.evaluate("location.hash = '/audit?show=all'");
  await outcome.waitFor({ state: 'detached' });
});

test('creates an API client, shows its secret once, disables and deletes it', async () => {
  const page = await world.open('/clients');
  await page.getByText('No API clients yet').waitFor();
  await page.getByLabel('Client name').fill('nightly export');
  await page.getByLabel('Scopes').fill('sp:search:read');
  await page.getByLabel('Allow refresh tokens').check();
  await page.getByRole('button', { name: 'Create client' }).click();
  const secretLines = await page.locator('.secret .code').innerText();
  const [, id = '', secret = ''] = /ID=(\S+)\nSAIL_CLIENT_SECRET=(\S+)/.exec(secretLines) ?? [];
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const signIn = async () => {
    const body = new URLSearchParams(form);
    return (await fetch(`${world.service.url}/oauth/token`, { method: 'POST', body })).status;
  };
  assert.equal(await signIn(), 200);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator('.secret').waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(secret));
  const row = page.getByRole('row').filter({ hasText: 'nightly export' });
  await row.getByText('12 hours, can be renewed').waitFor();
  await row.getByRole('button', { name: 'Disable client nightly export' }).click();
  // Exact, as the labels `Enable` and `Delete` are side by side.
  await row.getByText('Disabled', { exact: true }).waitFor();
  assert.equal(await signIn(), 401);
  await row.getByRole('button', { name: 'Enable client nightly export' }).click();
  await row.getByText('Enabled', { exact: true }).waitFor();
  assert.equal(await signIn(), 200);
  await row.getByRole('button', { name: 'Delete client nightly export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: 'Delete client nightly export' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No API clients yet').waitFor();
  assert.equal(await signIn(), 401);
});

test('keeps the form when an API client is refused', async () => {
  const page = await world.open('/clients');
  await page.getByLabel('Client name').fill('nightly');
  await page.getByLabel('Scopes').fill('"quoted"');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByRole('alert').getByText('The request was refused').waitFor();
  assert.equal(await page.getByLabel('Scopes').inputValue(), '"quoted"');
});

test('sets the clock of a server for tests, and back', async () => {
  const page = await world.open('/tests');
  const clock = page.getByRole('region', { name: 'Clock' });
  await clock.getByText('the clock of the machine').waitFor();
  await clock.getByLabel('Instant, or shift').fill('yesterday');
  await clock.getByRole('button', { name: 'Set clock' }).click();
  await clock.getByRole('alert').waitFor();
  await clock.getByLabel('Instant, or shift').fill('2030-01-15T09:00:00Z');
  await clock.getByRole('button', { name: 'Set clock' }).click();
  await clock.getByText('2030-01-15 09:00:00 UTC, standing still').waitFor();
  await clock.getByRole('button', { name: 'Use the real time' }).click();
  await clock.getByText('the clock of the machine').waitFor();
});

test('creates a token, shows its secret once, and deletes it', async () => {
  const page = await world.open('/tokens');
  await page.getByLabel('New token name').fill('nightly report');
  await page.getByRole('button', { name: 'Create token' }).click();
  const lines = await page.locator('.secret .code').innerText();
  const [, id = '', secret = ''] = /ID=(\S+)\nSAIL_CLIENT_SECRET=(\S+)/.exec(lines) ?? [];
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const signIn = () =>
    fetch(`${world.service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  assert.equal((await signIn()).status, 200);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator('.secret').waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(secret));
  await page.getByRole('button', { name: 'Delete token nightly report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('button', { name: 'Delete token nightly report' })
    .waitFor({ state: 'detached' });
  assert.equal((await signIn()).status, 401);
});

test('creates an API key for profile management, shows it once, and deletes it', async () => {
  const page = await world.open('/tokens');
  await page.getByLabel('New API key name').fill('badge printer');
  await page.getByLabel('New API key name').press('Enter');
  const key = await page.locator('.secret .code').innerText();
  const opens = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.service.url}/api/roles`, { headers })).status;
  };
  assert.equal(await opens(), 200);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator('.secret').waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(key));
  await page.getByRole('button', { name: 'Delete API key badge printer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await opens(), 200);
  await page.getByRole('button', { name: 'Delete API key badge printer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('button', { name: 'Delete API key badge printer' })
    .waitFor({ state: 'detached' });
  assert.equal(await opens(), 401);
});

test('creates an API key with the scope Read, and lists it with that scope', async () => {
  const page = await world.open('/tokens');
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByLabel('New API key name').fill('report');
  await keys.getByLabel('Scope').selectOption({ label: 'Read' });
  await keys.getByRole('button', { name: 'Create API key' }).click();
  const key = await keys.locator('.secret .code').innerText();
  const status = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${world.service.url}${path}`, { method, headers })).status;
  };
  const row = keys.getByRole('row').filter({ hasText: 'report' });
  await row.waitFor();
  const cells = await row.getByRole('cell').allInnerTexts();
  assert.equal(cells[2], 'Read');
  assert.equal(cells[6], 'Never');
  assert.equal(await status('GET', '/api/roles'), 200);
  assert.equal(await status('POST', '/api/role'), 403);
  await row.getByRole('button', { name: 'Delete API key report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

test('rejects an API key without a printable name', async () => {
  const page = await world.open('/tokens');
  await page.getByLabel('New API key name').fill('   ');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByText('1 to 255 printable characters').waitFor();
  assert.equal(await page.getByLabel('New API key name').inputValue(), '   ');
});

test('keeps the form when a token is rejected', async () => {
  const page = await world.open('/tokens');
  const name = page.getByLabel('New token name');
  const create = page.getByRole('button', { name: 'Create token' });
  await name.fill('twice');
  await create.click();
  await page.getByRole('button', { name: 'Done' }).click();
  await name.fill('twice');
  await page.getByLabel('List and read identities').check();
  await create.click();
  const refusal = page.getByRole('alert');
  await refusal
    .getByText(/twice|name/)
    .first()
    .waitFor();
  assert.equal(await name.inputValue(), 'twice');
  assert.ok(await page.getByLabel('List and read identities').isChecked());
  assert.equal(await refusal.getByRole('button', { name: 'Try again' }).count(), 0);
});

test('creates a token with chosen scopes and the day of its expiry, and warns of all scopes', async () => {
  const page = await world.open('/tokens');
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('New token name').fill('chosen');
  await page.getByLabel('Expires at the end of').fill(day);
  await page.getByLabel(/^Search · /).uncheck();
  const create = page.getByRole('button', { name: 'Create token' });
  await create.click();
  await page.getByRole('alert').getByText('Choose at least one scope').waitFor();
  const all = page.getByLabel('Everything that you may do');
  await all.check();
  await page.getByRole('status').getByText('Whoever has this token may do everything').waitFor();
  await all.uncheck();
  await page.getByLabel('List and read identities').check();
  await create.click();
  await page.getByRole('button', { name: 'Done' }).click();
  const answer = await world.service.call('GET', '/v2024/personal-access-tokens?owner-id=me');
  const tokens = (await answer.json()) as Record<string, unknown>[];
  const { scope, expirationDate } = tokens.find(({ name }) => name === 'chosen') ?? {};
  assert.deepEqual([scope, expirationDate], [['sp:identity:read'], `${day}T23:59:59.999Z`]);
});

test('the sign-in page says where a client ID comes from', async () => {
  const page = await world.openSignedOut('/');
  await page.getByText('Where does a client ID come from?').click();
  await page.getByText('cardea pat create --owner LOGIN --name console').waitFor();
  await assertUsable(page);
});

test('reports a file without documents', async () => {
  const page = await world.open('/data');
  const buffer = Buffer.alloc(0);
  const file = { name: 'empty.ndjson', mimeType: 'application/x-ndjson', buffer };
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByText('The file has no rows').waitFor();
});

test('polls the node status, but not while the page is hidden', async () => {
  const page = await world.open('/status');
  await page.clock.install();
  await page.reload();
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/status')) requests += 1;
  });
  const node = page.getByRole('region', { name: 'This node' });
  await node.locator('.line-chart canvas').nth(1).waitFor();
  await node.getByText('SQLite').waitFor();
  await page.getByRole('link', { name: 'Data' }).click();
  await page.getByRole('region', { name: 'Retention' }).waitFor();
  const roles = page
    .getByRole('region', { name: 'Documents by type' })
    .getByRole('row', { name: /^Roles/ });
  const before = Number(await roles.getByRole('cell').nth(1).innerText());
  await world.service.addDocuments([{ _type: 'role', id: 'live', name: 'Live' }]);
  await roles.getByRole('cell', { name: String(before + 1), exact: true }).waitFor();
  const show = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await show(true);
  await untilAtRest(page);
  const requestsBefore = requests;
  await page.clock.fastForward(60_000);
  await untilAtRest(page);
  assert.equal(requests, requestsBefore);
  const next = page.waitForRequest(/admin\/v1\/status$/);
  await show(false);
  await next;
});

test('imports a file and reports faults by line', async () => {
  const page = await world.open('/data');
  const documents = [
    { _type: 'role', id: 'r1', name: 'Imported role' },
    { _type: 'nothing', id: 'x' },
  ];
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'roles.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(documents.map((document) => JSON.stringify(document)).join('\n')),
  });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByText('1 created, 0 updated, 0 unchanged, 1 failed').waitFor();
  const fault = page.getByRole('region', { name: 'Not imported' }).getByRole('row').nth(1);
  await fault.getByRole('cell', { name: '2', exact: true }).waitFor();
  await page.goto(page.url().replace(/#.*/, '#/document/roles/r1'));
  await page.getByRole('heading', { level: 1, name: 'Imported role' }).waitFor();
});

test('lists fields, and changes a kind after a confirmation or says which value does not fit', async () => {
  await world.service.addDocuments([
    { _type: 'entitlement', id: 'f-1', name: 'A', attributes: { level: 7, code: 'A-7' } },
    { _type: 'entitlement', id: 'f-2', name: 'B', attributes: { level: 7 } },
  ]);
  const page = await world.open('/data');
  const fields = page.getByRole('region', { name: 'Fields', exact: true });
  await fields.getByLabel('Fields of').selectOption('Entitlements');
  const row = fields.getByRole('row', { name: /attributes\.level/ });
  const cells = row.getByRole('cell');
  await cells.nth(2).getByText('2', { exact: true }).waitFor();
  assert.equal(await cells.nth(3).innerText(), '7');
  const kindOf = (name: string, label: string) =>
    fields.getByRole('button', { name: `${label}: change the kind of attributes.${name}` });
  const change = async (name: string, [from, to]: readonly [string, string], answer: string) => {
    await kindOf(name, from).click();
    const dialog = page.getByRole('dialog', { name: `Kind of attributes.${name}` });
    await dialog.getByLabel('Kind').selectOption(to);
    await dialog.getByRole('button', { name: answer }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await change('level', ['Whole number', 'Text'], 'Cancel');
  await kindOf('level', 'Whole number').waitFor();
  await change('code', ['Text', 'Number'], 'Change kind');
  await fields.getByRole('alert').getByText('"A-7" in the document f-1 is not a number').waitFor();
  await kindOf('code', 'Text').waitFor();
  await change('level', ['Whole number', 'Text'], 'Change kind');
  await fields.getByRole('alert').waitFor({ state: 'detached' });
  await kindOf('level', 'Text').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('no longer says that there are no documents after the first import', async () => {
  const page = await world.open('/status');
  let isImported = false;
  await page.route('**/search/aggregate*', async (route) => {
    if (isImported) await route.continue();
    else await route.fulfill({ json: { aggregations: { types: { buckets: [] } } } });
  });
  await page.getByRole('link', { name: 'Data' }).click();
  const none = page.getByText('There are no documents yet');
  await none.waitFor();
  await page.getByRole('region', { name: 'Retention' }).waitFor();
  await untilAtRest(page);
  isImported = true;
  await page.getByLabel('Choose a file').setInputFiles({
    ...{ name: 'first.ndjson', mimeType: 'application/x-ndjson' },
    buffer: Buffer.from(JSON.stringify({ _type: 'role', id: 'first', name: 'First' })),
  });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByText('1 created, 0 updated').waitFor();
  await none.waitFor({ state: 'detached' });
});

test('shows advice, faults and requests of a server for tests, but none of its own', async () => {
  const page = await world.open('/search');
  await page.getByRole('link', { name: 'Tests' }).click();
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  await section('Faults').getByText('No faults are injected').waitFor();
  await section('Requests').getByRole('button', { name: 'Clear requests and advice' }).click();
  await section('Requests').getByText('No requests yet').waitFor();
  const body = { query: { query: '*' } };
  const rule = { match: { path: '/v3/search', first: 1 }, then: { status: 503, retryAfter: 1 } };
  await world.service.call('PUT', '/admin/v1/faults', [rule]);
  assert.equal((await world.service.call('POST', '/v3/search', body)).status, 503);
  assert.equal((await world.service.call('POST', '/v3/search', body)).status, 200);
  const faults = section('Faults').getByRole('row').nth(1);
  await untilReads(
    () => faults.getByRole('cell').allInnerTexts(),
    ['the first 1 of /v3/search', 'status 503, Retry-After 1', '2', '1'],
  );
  const requests = section('Requests').getByRole('row');
  await requests.filter({ hasText: '503, Retry-After 1, injected' }).waitFor();
  await untilReads(() => requests.filter({ hasText: '/v3/search' }).count(), 2);
  await section('Faults').getByRole('button', { name: 'Remove faults' }).click();
  await section('Faults').getByText('No faults are injected').waitFor();
  await page.getByRole('link', { name: 'Advice' }).click();
  const advice = section('Advice').getByRole('article');
  await advice.filter({ hasText: 'old-path' }).getByText('2 requests, the first is').waitFor();
  await page.getByRole('link', { name: 'Tests' }).click();
  await section('Requests').getByRole('button', { name: 'Clear requests and advice' }).click();
  await section('Requests').getByText('No requests yet').waitFor();
  await page.getByRole('link', { name: 'Advice' }).click();
  await section('Advice').getByText('No requests yet').waitFor();
});

test('asks before a reset, and reports why it is refused', async () => {
  const page = await world.open('/tests');
  await page.getByRole('button', { name: 'Reset tenant' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Reset tenant' }).click();
  await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByRole('alert').getByText('it is kept by cardea start --ephemeral').waitFor();
});

test('shows the mirror of a tenant, its age and its last error, only of a tenant that is one', async () => {
  const page = await world.open('/mirror');
  await page.getByText('This tenant is no mirror').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Mirror' }).count(), 0);
  const { cardea, tenantId } = world.service;
  const counts = { created: 1_234, updated: 5, unchanged: 0, deleted: 0, refused: 0 };
  const error = 'POST https://acme.example/v2024/search answered 403';
  const began = '2026-01-01T12:00:00.000Z';
  const run = { began, ended: '2026-01-01T12:01:00.000Z', counts };
  const putRun = (outcome: 'complete' | 'failed', failure: string | null) =>
    cardea.store.write((records) =>
      records.putMirror({
        ...{ tenantId, source: 'https://acme.example/', profilesSource: null, authUsers: 'none' },
        ...{ running: null, counted: counts, audited: counts },
        runs: [{ ...run, outcome, error: failure }],
      }),
    );
  const parts = [
    ...['accessprofiles', 'accountactivities', 'entitlements', 'events', 'identities', 'roles'],
  ];
  const putPart = (name: string, copiedAt: string | null, isUnderWay: boolean) =>
    cardea.store.write(async (records) => {
      const walk = { kind: 'copy', after: 'x', began, since: null, newest: null } as const;
      const done = { done: 1_250, total: 2_000, refused: 0, refusedBefore: null };
      await records.putMirrorPart(tenantId, {
        ...{ name, copiedAt, newest: null, sweptAt: null, there: 2_000 },
        ...{ walk: isUnderWay ? { ...walk, ...done } : null, totals: counts, refusals: [] },
        ...{ refusedIds: [], shrinking: null },
      });
    });
  await putRun('failed', error);
  await putPart('roles', null, true);
  await page.reload();
  await page.getByRole('link', { name: 'Mirror' }).waitFor();
  const state = page.getByRole('region', { name: 'State of the mirror' });
  await state.getByText(`The last run failed: ${error}`).waitFor();
  await state.getByText('The first copy is not complete').waitFor();
  await page.getByRole('region', { name: 'Last runs' }).getByText('failed').waitFor();
  assert.equal(await page.getByText(error).count(), 1);
  await page.getByRole('cell', { name: 'Under way: 1,250 of 2,000' }).waitFor();
  await page.getByRole('cell', { name: '1,234', exact: true }).waitFor();
  // A copy whose last run is long ago needs attention, though that run succeeded.
  await putRun('complete', null);
  for (const name of parts) await putPart(name, began, false);
  await state.locator('.verdict-warn, .verdict-good').waitFor();
  await state.getByText(/^The copy is \d+ days old, which is longer than/).waitFor();
  assert.equal(await state.locator('.verdict-good').count(), 0);
});

const PAGES = {
  status: () => '/status',
  data: () => '/data',
  mirror: () => '/mirror',
  tests: () => '/tests',
  advice: () => '/advice',
  audit: () => '/audit?show=all',
  tokens: () => '/tokens',
  clients: () => '/clients',
};

testPages(() => world, PAGES);
