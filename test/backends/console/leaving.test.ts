// Leaving a form with changes inside the console: by links, keys, the program and the button Back.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { untilAtRest, untilDrawn } from '../../support/at-rest.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';
import { untilReads } from '../../support/eventually.ts';
import { holdBack } from '../../support/held-requests.ts';

let world: ConsoleWorld;
let profile = '';
/** An email that no other profile may have. */
let takenEmail = '';
before(async () => {
  world = await startConsoleWorld();
  const query = 'profile_type_id=contractor&status=Active&limit=50';
  const answer = await world.service.call('GET', `/api/profiles?${query}`);
  const all = (await answer.json()) as { id: string; attributes: { email?: string } }[];
  profile = `/profiles/of/${all[0]?.id}`;
  takenEmail = all.map(({ attributes: { email } }) => email).find(Boolean) ?? '';
});
after(() => world?.stop());
afterEach(() => world.endTest());

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first();
const addressOf = (page: Page) => new URL(page.url()).hash;
const focused = (page: Page) =>
  page.evaluate('document.activeElement.textContent.trim()') as Promise<string>;

/** Opens the form of a profile and changes it. */
async function openChangedForm(): Promise<Page> {
  const page = await world.open(profile);
  await link(page, 'Edit').click();
  await page.getByLabel('Phone').fill('+351 21 555 0100');
  await page.getByText('1 changed field').waitFor();
  return page;
}

const WAYS: readonly (readonly [
  name: string,
  go: (page: Page) => Promise<unknown>,
  target: RegExp,
])[] = [
  ['a link of the navigation', (page) => link(page, 'Status').click(), /#\/status$/],
  ['the button Back', (page) => page.goBack(), /#\/profiles\/of\/[^/]+$/],
  [
    'a key of the console',
    async (page) => {
      await page.locator('main').focus();
      await page.keyboard.press('/');
    },
    /#\/search$/,
  ],
  [
    'another address',
    (page) => page.evaluate("location.hash = '/search/roles'"),
    /#\/search\/roles$/,
  ],
];
for (const [name, go, target] of WAYS) {
  test(`asks before ${name} leaves a changed form, by keyboard, too`, async () => {
    const page = await openChangedForm();
    const form = addressOf(page);
    const stays = async () => {
      await question(page).waitFor({ state: 'detached' });
      await page.waitForURL((url) => url.hash === form);
      assert.equal(await page.getByLabel('Phone').inputValue(), '+351 21 555 0100');
    };
    await go(page);
    await question(page).waitFor();
    await untilReads(() => focused(page), 'Stay');
    await page.keyboard.press('Enter');
    await stays();
    await go(page);
    await question(page).waitFor();
    await page.keyboard.press('Escape');
    await stays();
    await go(page);
    await question(page).waitFor();
    await page.keyboard.press('Tab');
    await untilReads(() => focused(page), 'Leave');
    await page.keyboard.press('Enter');
    await page.waitForURL(target);
    await page.getByLabel('Phone').waitFor({ state: 'detached' });
    await question(page).waitFor({ state: 'detached' });
  });
}

test('the question returns the focus, and its red button leaves', async () => {
  const page = await openChangedForm();
  await link(page, 'Status').click();
  await question(page).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await untilReads(() => focused(page), 'Status');
  await page.keyboard.press('Enter');
  await question(page).locator('.button-danger', { hasText: 'Leave' }).click();
  await page.getByText('The service is ready').waitFor();
});

test('asks before Sign out discards a changed form, by keyboard, too', async () => {
  const page = await openChangedForm();
  await page.getByRole('button', { name: 'test.admin' }).click();
  const signOut = page.locator('.account').getByRole('button', { name: 'Sign out' });
  const dialog = page.getByRole('dialog', { name: 'Sign out without saving?' });
  for (const key of ['Enter', 'Escape']) {
    await signOut.click();
    await dialog.waitFor();
    await untilReads(() => focused(page), 'Stay');
    await page.keyboard.press(key);
    await dialog.waitFor({ state: 'detached' });
    await untilReads(() => focused(page), 'Sign out');
    assert.equal(await page.getByLabel('Phone').inputValue(), '+351 21 555 0100');
  }
  await signOut.click();
  await dialog.waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
});

test('Back after Stay asks again, and goes where it went before', async () => {
  const page = await openChangedForm();
  await link(page, 'Status').click();
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await page.waitForURL(/edit/);
  await page.goBack();
  await question(page).getByRole('button', { name: 'Leave' }).click();
  await link(page, 'Edit').waitFor();
  await page.waitForURL((url) => url.hash === `#${profile}`);
});

test('another type of a new profile asks, and Stay shows the old one', async () => {
  const page = await world.open('/profiles/new?type=contractor');
  await page.getByLabel('First name').fill('Ada');
  const type = page.locator('.new-profile-type select');
  await untilAtRest(page);
  const chosen = await type.inputValue();
  await type.selectOption({ index: 2 });
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await page.waitForURL((url) => url.hash === '#/profiles/new?type=contractor');
  await untilReads(() => type.inputValue(), chosen);
  assert.equal(await page.getByLabel('First name').inputValue(), 'Ada');
});

test('does not ask when changes are saved, cancelled or reset, or there are none', async () => {
  const page = await openChangedForm();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await link(page, 'Edit').click();
  await page.getByText('No changes').waitFor();
  await page.getByLabel('Phone').fill('+351 21 555 0199');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await link(page, 'Edit').click();
  await page.getByText('No changes').waitFor();
  await link(page, 'Status').click();
  await page.getByText('The service is ready').waitFor();
});

test('asks before a changed dashboard is left, but not after it was only opened', async () => {
  const body = { name: 'Left', shared: false, tiles: [] };
  const answer = await world.service.call('POST', '/admin/v1/dashboards', body);
  const { id } = (await answer.json()) as { id: string };
  const page = await world.open(`/dashboard/${id}`);
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  await edit.click();
  await page.getByLabel('Name').waitFor();
  await link(page, 'Status').click();
  await page.getByText('The service is ready').waitFor();
  await page.goBack();
  await edit.click();
  await page.getByLabel('Name').fill('Changed');
  await link(page, 'Status').click();
  await question(page).getByRole('button', { name: 'Stay' }).click();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Changed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Changed' }).waitFor();
  await link(page, 'Status').click();
  await page.getByText('The service is ready').waitFor();
});

const dialogOf = (page: Page) => page.locator('dialog').first();
const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true });
async function stored(path: string, body: object): Promise<string> {
  const answer = await world.service.call('POST', path, body);
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return ((await answer.json()) as { id: string }).id;
}
const savedSearch = async () => {
  const search = { name: 'Kept', indices: ['identities'], query: '*' };
  return `/search/identities?saved=${await stored('/v2024/saved-searches', search)}`;
};

/** The forms in dialogs, with the field that is filled. */
const DIALOGS: readonly (readonly [
  name: string,
  address: () => Promise<string>,
  open: (page: Page) => Promise<unknown>,
  field: (dialog: Locator) => Locator,
])[] = [
  [
    'a schedule',
    savedSearch,
    async (page) => {
      await button(page, 'Schedules and runs').click();
      await button(page, 'Add schedule').click();
    },
    (dialog) => dialog.getByLabel('Name (optional)'),
  ],
  [
    'a tile',
    async () => {
      const body = { name: 'Tiles', shared: false, tiles: [] };
      return `/dashboard/${await stored('/admin/v1/dashboards', body)}`;
    },
    async (page) => {
      await button(page, 'Edit').click();
      await button(page, 'Add tile').click();
    },
    (dialog) => dialog.getByRole('textbox', { name: 'Title' }),
  ],
  [
    'a new saved search',
    async () => '/search/identities',
    (page) => button(page, 'Save').click(),
    (dialog) => dialog.getByLabel('Name', { exact: true }),
  ],
  [
    'the name of a saved search',
    savedSearch,
    (page) => button(page, 'Rename or share').click(),
    (dialog) => dialog.getByLabel('Name', { exact: true }),
  ],
];
for (const [name, address, open, fieldIn] of DIALOGS) {
  test(`keeps the form of ${name} at a click beside it, and asks before it is left`, async () => {
    const page = await world.open('/status');
    await page.getByText('The service is ready').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(await address())}`);
    await open(page);
    const field = fieldIn(dialogOf(page));
    await field.fill('Half-filled');
    const form = addressOf(page);
    await page.mouse.click(3, 400);
    await untilDrawn(page);
    assert.equal(await field.inputValue(), 'Half-filled');
    await page.goBack();
    await button(question(page), 'Stay').click();
    await question(page).waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.hash === form);
    assert.equal(await field.inputValue(), 'Half-filled');
    await page.goBack();
    await button(question(page), 'Leave').click();
    await page.getByText('The service is ready').waitFor();
  });
}

test('closes a dialog without a form at a click beside it', async () => {
  const page = await world.open('/search/identities');
  await button(page, 'Copy as').click();
  await dialogOf(page).waitFor();
  await page.mouse.click(3, 400);
  await dialogOf(page).waitFor({ state: 'detached' });
});

/** Types into a field, if it can be reached. */
async function typeInto(page: Page, field: Locator): Promise<string> {
  await field.focus();
  await page.keyboard.type('9');
  return field.inputValue();
}

test('gives the field its focus back when the service cannot create a profile', async () => {
  const page = await world.open('/profiles/new?type=contractor');
  const release = await holdBack(page, '**/api/profile', 'POST', 500);
  await page.getByLabel(/^End date/).fill('2031-12-31');
  const name = page.getByLabel('First name');
  await name.fill('Ada');
  await name.press('Enter');
  await button(page, 'Saving…').and(page.locator(':focus')).waitFor();
  release();
  await page.getByText('Something went wrong').waitFor();
  await name.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('9');
  await untilReads(() => name.inputValue(), 'Ada9');
});

test('gives the field its focus back when changes whose review was closed are refused', async () => {
  const page = await openChangedForm();
  const release = await holdBack(page, '**/api/profiles/*', 'PATCH', 403);
  const phone = page.getByLabel('Phone');
  await phone.press('Enter');
  const review = page.getByRole('dialog');
  await button(review, 'Save').click();
  await button(review, 'Saving…').waitFor();
  await page.keyboard.press('Escape');
  await button(page, 'Saving…').and(page.locator(':focus')).waitFor();
  release();
  await page.getByText('You do not have permission').waitFor();
  await phone.and(page.locator(':focus')).waitFor();
});

test('takes no changes of a profile while others are saved', async () => {
  const page = await openChangedForm();
  const release = await holdBack(page, '**/api/profiles/*', 'PATCH');
  await button(page, 'Review changes').click();
  await button(page.getByRole('dialog'), 'Save').click();
  await button(page.getByRole('dialog'), 'Saving…').waitFor();
  assert.equal(await typeInto(page, page.getByLabel('Phone')), '+351 21 555 0100');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await typeInto(page, page.getByLabel('Phone')), '+351 21 555 0100');
  release();
  await page.getByText('Saved', { exact: true }).waitFor();
});

test('takes no changes of a new profile while it is created, and all after a refusal', async () => {
  const page = await world.open('/profiles/new?type=contractor');
  const name = page.getByLabel('First name');
  await name.fill('Ada');
  await page.getByLabel(/^End date/).fill('2031-12-31');
  const release = await holdBack(page, '**/api/profile', 'POST');
  const email = page.getByLabel('Email');
  await email.fill(takenEmail);
  await email.press('Enter');
  await button(page, 'Saving…').waitFor();
  assert.equal(await typeInto(page, name), 'Ada');
  release();
  await button(page, 'Create profile').waitFor();
  await email.and(page.locator(':focus')).waitFor();
  assert.equal(await typeInto(page, name), 'Ada9');
});

test('asks before an import is left, which ends with its page', async () => {
  const page = await world.open('/data');
  const release = await holdBack(page, '**/admin/v1/documents*', 'POST');
  const role = JSON.stringify({ _type: 'role', id: 'slow', name: 'Slow' });
  await page.getByLabel('Choose a file').setInputFiles({
    ...{ name: 'roles.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(role) },
  });
  await button(page, 'Import').click();
  await link(page, 'Status').click();
  await button(question(page), 'Stay').click();
  release();
  await page.getByText('1 created, 0 updated, 0 unchanged, 0 failed').waitFor();
  await link(page, 'Status').click();
  await page.getByText('The service is ready').waitFor();
});

const SECRETS: readonly (readonly [page: string, field: string, create: string])[] = [
  ['/tokens', 'New token name', 'Create token'],
  ['/tokens', 'New API key name', 'Create API key'],
  ['/clients', 'Client name', 'Create client'],
];
for (const [address, label, action] of SECRETS) {
  test(`keeps the secret of ${action} until Done`, async () => {
    const page = await world.open(address);
    const field = page.getByLabel(label);
    await field.fill('kept');
    await button(page, action).click();
    const secret = await page.locator('.secret .code').innerText();
    await field.fill('another');
    await field.press('Enter');
    assert.equal(await button(page, action).getAttribute('aria-disabled'), 'true');
    await link(page, 'Status').click();
    await button(question(page), 'Stay').click();
    assert.equal(await page.locator('.secret .code').innerText(), secret);
    await untilAtRest(page);
    assert.equal(await page.getByRole('button', { name: /^Delete .*another/ }).count(), 0);
    await button(page, 'Done').click();
    await link(page, 'Status').click();
    await page.getByText('The service is ready').waitFor();
  });
}

test('asks before chosen capabilities of a user are left', async () => {
  const page = await world.open(`/users/${world.service.adminId}`);
  await page.getByRole('checkbox').nth(1).click();
  await page.getByTestId('patch').waitFor();
  await link(page, 'Status').click();
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Reset' }).click();
  await link(page, 'Status').click();
  await page.getByText('The service is ready').waitFor();
});
