// Leaving a form with changes inside the console: by links, keys, the program and the button Back.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';

let world: ConsoleWorld;
let profile = '';
before(async () => {
  world = await startConsoleWorld();
  const query = 'profile_type_id=contractor&status=Active&limit=1';
  const answer = await world.service.call('GET', `/api/profiles?${query}`);
  const [first] = (await answer.json()) as { id: string }[];
  profile = `/profiles/of/${first?.id}`;
});
after(() => world?.stop());
afterEach(() => assert.deepEqual(world.complaints(), []));

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
    assert.equal(await focused(page), 'Stay');
    await page.keyboard.press('Enter');
    await stays();
    await go(page);
    await question(page).waitFor();
    await page.keyboard.press('Escape');
    await stays();
    await go(page);
    await question(page).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Leave');
    await page.keyboard.press('Enter');
    await page.waitForURL(target);
    await page.getByLabel('Phone').waitFor({ state: 'detached' });
    assert.equal(await question(page).count(), 0);
  });
}

test('the question returns the focus, and its red button leaves', async () => {
  const page = await openChangedForm();
  await link(page, 'Status').click();
  await question(page).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await question(page).getByRole('button', { name: 'Stay' }).click();
  assert.equal(await focused(page), 'Status');
  await page.keyboard.press('Enter');
  await question(page).locator('.button-danger', { hasText: 'Leave' }).click();
  await page.getByText('The service is ready').waitFor();
});

test('Back after Stay asks again, and goes where it went before', async () => {
  const page = await openChangedForm();
  await link(page, 'Status').click();
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await page.waitForURL(/edit/);
  await page.goBack();
  await question(page).getByRole('button', { name: 'Leave' }).click();
  await link(page, 'Edit').waitFor();
  assert.equal(addressOf(page), `#${profile}`);
});

test('another type of a new profile asks, and Stay shows the old one', async () => {
  const page = await world.open('/profiles/new?type=contractor');
  await page.getByLabel('First name').fill('Ada');
  const type = page.locator('.new-profile-type select');
  const chosen = await type.inputValue();
  await type.selectOption({ index: 2 });
  await question(page).getByRole('button', { name: 'Stay' }).click();
  assert.equal(await type.inputValue(), chosen);
  assert.equal(await page.getByLabel('First name').inputValue(), 'Ada');
  assert.equal(addressOf(page), '#/profiles/new?type=contractor');
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
