// The profiles of the console in a real browser: the list, advanced searches in words, one profile,
// and its form with conflicts and refusals. The task that a first user was given ends within four
// steps.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { untilAtRest } from '../../support/at-rest.ts';
import { addUser, tokenOf } from '../../support/callers.ts';
import { testPages } from '../../support/console-pages.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';
import { holdBack } from '../../support/held-requests.ts';

interface Profile {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly status: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The date of the demo, 2025-06-30, lies in the past: contracts end within so many days. */
const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

let world: ConsoleWorld;
/** Active contractors with a sponsor. */
let contractors: Profile[] = [];
before(async () => {
  world = await startConsoleWorld();
  const list = await api<Profile[]>(
    'GET',
    'profiles?profile_type_id=contractor&status=Active&order=name&limit=100',
  );
  contractors = list.filter(({ attributes }) => attributes['sponsor'] && attributes['end_date']);
  assert.ok(contractors.length >= 6);
});
after(() => world?.stop());
afterEach(() => world.endTest());

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await world.service.call(method, `/api/${path}`, body, {
    'content-type': 'application/json',
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return (answer.status === 204 ? null : await answer.json()) as T;
}

function contractor(n: number): Profile {
  const profile = contractors[n];
  assert.ok(profile !== undefined);
  return profile;
}

async function stored(id: string): Promise<Profile> {
  return (await api<{ profile: Profile }>('GET', `profiles/${id}`)).profile;
}

const column = (page: Page, n: number) =>
  page.locator(`tbody tr td:nth-child(${n})`).allInnerTexts();

async function heads(page: Page): Promise<string[]> {
  await page.locator('tbody tr').first().waitFor();
  return page.locator('thead th').allInnerTexts();
}

test('answers which contractors leave within 30 days without a sponsor in three steps', async () => {
  const day = (days: number) => {
    const [year = '', month = '', date = ''] = new Date(Date.now() + days * 86_400_000)
      .toISOString()
      .slice(0, 10)
      .split('-');
    return { us: `${month}/${date}/${year}`, iso: `${year}-${month}-${date}` };
  };
  const soon = day(9);
  const profile = {
    ...{ name: 'Zoe Leaver', profile_type_id: 'contractor', status: 'Active' },
    attributes: { first_name: 'Zoe', last_name: 'Leaver', end_date: soon.us },
  };
  await api('POST', 'profile', { profile });
  const page = await world.open('/search');
  await page.getByRole('link', { name: 'Profiles', exact: true }).click();
  await page.getByRole('link', { name: 'Advanced search' }).click();
  await page
    .getByRole('button', { name: 'Leaving within 30 days, without a sponsor', exact: true })
    .click();
  const row = page.locator('tbody tr', { hasText: 'Zoe Leaver' });
  await row.getByText(soon.iso, { exact: true }).waitFor();
  await untilReads(() => heads(page), ['Name', 'Status', 'End date', 'Updated']);
  const rules = page.locator('.rule');
  const sponsor = rules.filter({ hasText: 'is empty' }).last();
  assert.equal(await sponsor.getByLabel('Operator').inputValue(), 'empty');
  assert.equal(await sponsor.getByLabel('Value').count(), 0);
});

test('finds what is empty and what has a value in words, also of dates', async () => {
  const page = await world.open('/profiles/advanced');
  const add = async (field: string, operator: string) => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    const rule = page.locator('.rule').last();
    await rule.getByLabel('Field').selectOption({ label: field });
    await rule.getByLabel('Operator').selectOption({ label: operator });
    return rule;
  };
  const run = async () => {
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('.profile-total, .empty-title').first().waitFor();
    await untilAtRest(page);
  };
  const type = await add('Type', 'is');
  await type.getByLabel('Value').selectOption({ label: 'Contractor' });
  await run();
  const all = Number(await page.locator('.profile-total').innerText());
  const counts: number[] = [];
  for (const operator of ['is empty', 'has a value']) {
    const rule = await add('Background check', operator);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.waitForURL(operator === 'is empty' ? /empty/ : /dated/);
    await page.getByRole('columnheader', { name: 'Updated' }).waitFor();
    await eventually(async () =>
      assert.notEqual(await page.locator('.profile-total').innerText(), all.toLocaleString('en')),
    );
    counts.push(Number(await page.locator('.profile-total').innerText()));
    await rule.getByRole('button', { name: /^Remove rule/ }).click();
    await run();
    await page.locator('.profile-total').getByText(String(all), { exact: true }).waitFor();
  }
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), all);
});

test('takes another number of days, and runs no rule without one', async () => {
  const page = await world.open('/profiles/advanced');
  await page.getByRole('button', { name: 'Add rule' }).click();
  const rule = page.locator('.rule');
  await rule.getByLabel('Field').selectOption({ label: 'End date' });
  await rule.getByLabel('Operator').selectOption({ label: 'is within' });
  await rule.getByLabel('Direction').selectOption({ label: 'days before today' });
  const days = rule.getByLabel('Days', { exact: true });
  await days.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await untilReads(() => days.inputValue(), '');
  await untilReads(() => rule.getByLabel('Direction').inputValue(), 'before');
  await page.getByRole('button', { name: 'Run' }).click();
  await rule.locator('input:focus:invalid').waitFor();
  assert.ok(!page.url().includes('rules='));
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await untilReads(() => save.isDisabled(), true);
  await page.keyboard.type('45');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(/45\+before/);
});

test('refuses a rule without a value, and picks a user by name', async () => {
  const { attributes } = contractor(0);
  const name = attributes['sponsor']?.replace(/ \(.*/, '') ?? '';
  const page = await world.open('/profiles/advanced');
  await page.getByRole('button', { name: 'Add rule' }).click();
  const rule = page.locator('.rule');
  await rule.getByLabel('Field').selectOption({ label: 'Sponsor' });
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText(/Rule 1 needs a value/).waitFor();
  await rule.getByLabel('Value', { exact: true }).fill(name.slice(1));
  await rule.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.locator('tbody').getByText(contractor(0).name, { exact: true }).waitFor();
  await eventually(async () => assert.ok((await heads(page)).includes('Sponsor')));
  await page.reload();
  await rule.getByRole('button', { name: new RegExp(`^Remove ${name}`) }).waitFor();
});

test('finds profiles by a part of the name, and by type and status', async () => {
  const { name } = contractor(1);
  const page = await world.open('/profiles');
  await page.getByLabel('Name contains').fill(name.slice(1, -1).toUpperCase());
  await page.waitForURL(/name_contains/);
  await page.locator('tbody').getByText(name, { exact: true }).waitFor();
  await page.getByLabel('Type').selectOption({ label: 'Contractor' });
  await page.waitForURL(/profile_type_id=/);
  await page.getByRole('combobox', { name: 'Status', exact: true }).selectOption('Active');
  await page.waitForURL(/status=/);
  await untilAtRest(page);
  await page.locator('tbody').getByText(name, { exact: true }).waitFor();
  for (const status of await column(page, 2)) assert.equal(status, 'Active');
});

test('shows who is responsible and the dates of a type, each date in the same form', async () => {
  const page = await world.open('/profiles?profile_type_id=contractor');
  await untilReads(
    () => heads(page),
    ['Name', 'Status', 'Sponsor', 'Host', 'Start date', 'End date', 'Updated'],
  );
  await untilAtRest(page);
  for (const date of [...(await column(page, 5)), ...(await column(page, 6))]) {
    assert.match(date, /^(?:\d{4}-\d\d-\d\d|–)$/);
  }
});

test('sorts by a date, by a status, and from the end', async () => {
  const page = await world.open('/profiles?profile_type_id=contractor');
  await heads(page);
  await untilAtRest(page);
  const at = (await heads(page)).indexOf('End date') + 1;
  await page.getByRole('button', { name: 'End date' }).click();
  await page.locator('th[aria-sort="ascending"]', { hasText: 'End date' }).waitFor();
  await untilAtRest(page);
  const ascending = (await column(page, at)).filter((date) => ISO_DATE.test(date));
  assert.ok(ascending.length > 10);
  assert.deepEqual(ascending, [...ascending].sort());
  await page.getByRole('button', { name: 'Updated' }).click();
  await page.locator('th[aria-sort="ascending"]', { hasText: 'Updated' }).waitFor();
  await page.getByRole('button', { name: 'Updated' }).click();
  await page.locator('th[aria-sort="descending"]', { hasText: 'Updated' }).waitFor();
  await untilAtRest(page);
  const updated = await column(page, (await heads(page)).length);
  assert.deepEqual(updated, [...updated].sort().reverse());
});

test('exports all matches with the shown columns, even if a filter matches none meanwhile', async () => {
  const page = await world.open('/profiles?profile_type_id=contractor&sort=attributes.end_date');
  await heads(page);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Department' }).check();
  await page.waitForURL(/columns=.*attributes.department/);
  await page.getByRole('checkbox', { name: 'UID' }).check();
  await page.waitForURL(/columns=.*uid/);
  await untilAtRest(page);
  const total = Number((await page.locator('.profile-total').innerText()).replaceAll(',', ''));
  await page.getByRole('button', { name: 'Export' }).click();
  const release = await holdBack(page, /\/api\/profiles\?name_contains=&.*limit=500/, 'GET');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV (shown columns)' }).click();
  await page.getByLabel('Name contains').fill('nobody has this name');
  await page.getByText('No matching profiles').waitFor();
  release();
  const text = readFileSync(await (await downloading).path(), 'utf8');
  const lines = text.trimEnd().split('\r\n');
  assert.equal(lines.length, total + 1);
  assert.match(lines[0] ?? '', /^\uFEFFName,Status,.*End date,Updated,Department,UID$/);
});

test('says that there are no profiles yet, or that filters match none', async () => {
  const page = await world.open('/status');
  await page.route(/\/api\/profiles\?/, (route) =>
    route.fulfill({ json: { profiles: [], _metadata: { limit: 50, offset: 0, total: 0 } } }),
  );
  await page.getByRole('link', { name: 'Profiles' }).click();
  await page.getByText('No profiles yet').waitFor();
  await page.getByLabel('Name contains').fill('nobody');
  await page.getByText('No matching profiles').waitFor();
});

test('shows a profile by meaning, with references as links', async () => {
  const { id, attributes } = contractor(2);
  const page = await world.open(`/profiles/of/${id}`);
  const sections = page.locator('.document-body section h2');
  await sections.first().waitFor();
  await untilReads(
    () => sections.allInnerTexts(),
    ['Name', 'Contact', 'Responsible', 'Dates', 'Details'],
  );
  for (const date of await page
    .getByRole('region', { name: 'Dates' })
    .locator('dd')
    .allInnerTexts()) {
    assert.match(date, /^(?:\d{4}-\d\d-\d\d|–)$/);
  }
  const sponsor = page.getByRole('link', { name: attributes['sponsor'] ?? '' }).first();
  await sponsor.click();
  const name = attributes['sponsor']?.replace(/ \(.*/, '') ?? '';
  await page.getByRole('heading', { level: 1, name }).waitFor();
});

test('confirms what will change, sends only that, and shows what was saved', async () => {
  const { id, attributes } = contractor(3);
  const page = await world.open(`/profiles/of/${id}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('End date').fill('2031-12-30');
  await page.getByLabel('Phone').fill('+351 21 555 0100');
  await page.getByLabel('Work mode').selectOption('Remote');
  await page.getByText('3 changed fields').waitFor();
  await page.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row', { name: /End date.*2031-12-30/ }).waitFor();
  await dialog.getByText('Request').click();
  await untilReads(async () => JSON.parse(await dialog.getByTestId('request').innerText()), {
    profile: {
      attributes: { phone: '+351 21 555 0100', end_date: '12/30/2031', work_mode: ['Remote'] },
    },
  });
  await dialog.getByRole('button', { name: 'Save' }).click();
  const saved = page.getByRole('status').filter({ hasText: 'Saved' });
  await saved.getByRole('row', { name: /Work mode.*Remote/ }).waitFor();
  await page.getByRole('region', { name: 'Dates' }).getByText('2031-12-30').waitFor();
  const after = await stored(id);
  assert.deepEqual(after.attributes, {
    ...attributes,
    ...{ phone: '+351 21 555 0100', end_date: '12/30/2031', work_mode: 'Remote' },
  });
});

test('selects another sponsor and several skills, and clears a value', async () => {
  const { id } = contractor(4);
  const other = contractors.find(
    ({ attributes }) => attributes['sponsor'] !== contractor(4).attributes['sponsor'],
  );
  const sponsor = other?.attributes['sponsor'] ?? '';
  const page = await world.open(`/profiles/of/${id}/edit`);
  await page.getByLabel('Sponsor', { exact: true }).fill(sponsor.replace(/ \(.*/, '').slice(1));
  await page.getByRole('button', { name: sponsor, exact: true }).click();
  const skills = page.getByRole('group', { name: 'Skills' });
  await skills.getByLabel('Welding').waitFor();
  const checked = skills.getByRole('checkbox', { checked: true });
  while ((await checked.count()) > 0) await checked.first().uncheck();
  await skills.getByLabel('Welding').check();
  await skills.getByLabel('Customs').check();
  await page.getByLabel('Phone').fill('');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  const { attributes } = await stored(id);
  assert.equal(attributes['sponsor'], sponsor);
  assert.deepEqual(attributes['skills']?.split(', ').sort(), ['Customs', 'Welding']);
  assert.equal(attributes['phone'], undefined);
});

test('shows faults beside their fields, those of the form and those of the service', async () => {
  const taken = contractor(1).attributes['email'] ?? '';
  const { id } = contractor(2);
  const page = await world.open(`/profiles/of/${id}/edit`);
  const email = page.locator('.form-field', { has: page.getByLabel('Email') });
  await page.getByLabel('Email').fill('nobody');
  await page.getByLabel('End date').fill('');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await email.getByText('Enter an email address').waitFor();
  const end = page.locator('.form-field', { has: page.getByLabel(/^End date/) });
  await end.getByText('Enter a value').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.getByLabel(/^End date/).fill('2031-01-31');
  await page.getByLabel('Email').fill(taken);
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await email.getByText('has already been taken').waitFor();
  await page.getByRole('alert').getByText('Email has already been taken').waitFor();
  await email.locator('input:focus').waitFor();
  assert.notEqual((await stored(id)).attributes['email'], taken);
});

/** Makes attributes required, as an administrator could. */
async function makeRequired(page: Page, uids: readonly string[]): Promise<void> {
  await page.route('**/api/ne_attributes?*', async (route) => {
    const response = await route.fetch();
    const all = (await response.json()) as { uid: string }[];
    const validations = [{ validation_method: 'required', value: null }];
    const json = all.map((one) => (uids.includes(one.uid) ? { ...one, validations } : one));
    await route.fulfill({ response, json });
  });
}

test('leads to the first of several empty fields, which alone is announced', async () => {
  const page = await world.open('/status');
  await makeRequired(page, ['first_name', 'last_name']);
  await page.evaluate(`location.hash = '/profiles/of/${contractor(0).id}/edit'`);
  const first = page.getByLabel(/^First name/);
  await first.fill('');
  await page.getByLabel(/^Last name/).fill('');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.locator('.field-fault').getByText('Enter a value').nth(1).waitFor();
  await first.and(page.locator(':focus')).waitFor();
  await page.getByRole('status').getByText('2 changed fields, 2 fields to correct').waitFor();
  assert.equal(await page.locator('.profile-form').getByRole('alert').count(), 0);
  const description = await first.getAttribute('aria-describedby');
  const fault = await page.locator(`[id="${description}"]`).innerText();
  assert.equal(fault.trim(), 'Enter a value');
});

const empty: Record<string, (field: Locator) => Promise<void>> = {
  async Sponsor(field) {
    await field.getByRole('button', { name: /^Remove/ }).click();
  },
  async Skills(field) {
    await field.getByLabel('Welding').waitFor();
    const checked = field.getByRole('checkbox', { checked: true });
    while ((await checked.count()) > 0) await checked.first().uncheck();
  },
};
for (const [label, clear] of Object.entries(empty)) {
  test(`leads to an empty ${label}, which is required, and says why`, async () => {
    const uid = label.toLowerCase();
    const page = await world.open('/status');
    await makeRequired(page, [uid]);
    const { id } = contractors.find(({ attributes }) => attributes[uid]) ?? contractor(0);
    await page.evaluate(`location.hash = '/profiles/of/${id}/edit'`);
    const field = page.locator('.form-field', { has: page.getByText(`${label} (required)`) });
    await clear(field);
    await page.getByText('1 changed field').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await field.locator('.field-fault').getByText('Enter a value').waitFor();
    await field.locator('input:focus').waitFor();
    const described = field.locator('[aria-invalid="true"][aria-describedby]');
    assert.equal(
      await described.getAttribute('aria-describedby'),
      await field.locator('.field-fault').getAttribute('id'),
    );
  });
}

test('does not overwrite a field that someone else has changed meanwhile', async () => {
  const { id } = contractor(5);
  const page = await world.open(`/profiles/of/${id}/edit`);
  await page.getByLabel('Job title').fill('Mine');
  const patch = (attributes: object) => api('PATCH', `profiles/${id}`, { profile: { attributes } });
  await patch({ job_title: 'Theirs', city: 'Dublin' });
  const save = async () => {
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  };
  await save();
  await page.getByText('This profile was changed by someone else').waitFor();
  await page.getByRole('row', { name: /Job title.*Theirs/ }).waitFor();
  assert.equal((await stored(id)).attributes['job_title'], 'Theirs');
  await page.getByRole('button', { name: 'Reload and discard my changes' }).click();
  await page.getByText('No changes').waitFor();
  await untilReads(() => page.getByLabel('Job title').inputValue(), 'Theirs');
  // A change of another field is no conflict, and stays.
  await page.getByLabel('Job title').fill('Both agree');
  await patch({ phone: '0815' });
  await save();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  const { attributes } = await stored(id);
  assert.deepEqual([attributes['job_title'], attributes['phone']], ['Both agree', '0815']);
});

test('keeps the focus in the form while a conflict is overwritten', async () => {
  const { id } = contractor(0);
  const page = await world.open(`/profiles/of/${id}/edit`);
  await page.getByLabel('Job title').fill('Mine');
  await api('PATCH', `profiles/${id}`, { profile: { attributes: { job_title: 'Theirs' } } });
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const release = await holdBack(page, '**/api/profiles/*', 'PATCH');
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await page.getByRole('button', { name: 'Saving…' }).and(page.locator(':focus')).waitFor();
  release();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
});

test('creates a profile, archives and restores it, and deletes it after a confirmation', async () => {
  const page = await world.open('/profiles?profile_type_id=contractor');
  await page.getByRole('link', { name: 'New profile' }).click();
  await page.getByLabel('First name').fill('Ines');
  await page.getByLabel('Last name').fill('Moura');
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByText('Enter a value').waitFor();
  await page.getByLabel(/^End date/).fill('2031-12-31');
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ines Moura' }).waitFor();
  await page.waitForURL(/of\/[0-9a-f-]{36}/);
  const id = /of\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  assert.equal((await stored(id)).attributes['end_date'], '12/31/2031');
  await page.getByRole('button', { name: 'Archive' }).click();
  await page
    .getByRole('status')
    .getByText(/^Archived: lists/)
    .waitFor();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('status').getByText('Restored').waitFor();
  const remove = page.getByRole('button', { name: 'Delete' });
  await remove.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await remove.click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Ines Moura was deleted').waitFor();
  const gone = await world.service.call('GET', `/api/profiles/${id}`);
  assert.equal(gone.status, 404);
});

test('offers no changes to users who may only read', async () => {
  const user = await addUser(world.service, { capabilities: ['HELPDESK'] });
  const token = await tokenOf(world.service.url, user);
  const page = await world.open(`/profiles/of/${contractor(0).id}`, {}, token);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await untilAtRest(page);
  for (const name of ['Edit', 'Delete', 'Archive', 'New profile']) {
    assert.equal(await page.getByText(name, { exact: true }).count(), 0, name);
  }
  await page.getByRole('link', { name: 'Profiles', exact: true }).click();
  await page.locator('tbody tr').first().waitFor();
  assert.equal(await page.getByText('New profile').count(), 0);
});

const PAGES: Readonly<Record<string, () => string>> = {
  'list of a type': () => '/profiles?profile_type_id=contractor',
  profile: () => `/profiles/of/${contractor(0).id}`,
  'form of a profile': () => `/profiles/of/${contractor(0).id}/edit`,
  'form of a new profile': () => '/profiles/new?type=contractor',
};
testPages(() => world, PAGES);
