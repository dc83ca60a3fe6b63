// Interactions of the lists of auth users, of which the demo has a few dozen, and profiles.
import type { Page } from 'playwright-core';
import { type Desk, type Group, timeLastLetter } from './interaction.ts';
import { untilRest } from './page-clock.ts';

const tableRow = (page: Page) => page.locator('tbody tr').first();

/** Opens a list that is narrowed by a part of a name, so that further filters are new questions. */
async function openPart(desk: Desk, path: string, parameter: string): Promise<void> {
  const part = desk.person.displayName.slice(0, 1 + desk.company.number(2));
  await desk.open(`${path}?${new URLSearchParams({ [parameter]: part })}`);
}

async function chooseOption(desk: Desk, label: string): Promise<void> {
  const title = desk.page.getByText(label, { exact: true });
  const select = desk.page.locator('.filters .field', { has: title }).locator('select');
  const options = await select.locator('option').count();
  const index = 1 + desk.company.number(options - 1);
  await desk.time(() => select.selectOption({ index }));
}

export const USERS: Group = {
  name: 'auth users',
  interactions: [
    {
      name: 'auth users: type a letter',
      run: async (desk) => {
        await desk.open('/users');
        const { displayName } = desk.person;
        const words = displayName.slice(0, 2 + desk.company.number(5));
        await timeLastLetter(desk, desk.page.getByLabel('Name, UID, email or ID'), words);
      },
    },
    {
      name: 'auth users: filter by a capability',
      run: async (desk) => {
        await openPart(desk, '/users', 'q');
        await chooseOption(desk, 'Capability');
      },
    },
    {
      name: 'auth users: filter by state',
      run: async (desk) => {
        await openPart(desk, '/users', 'q');
        await chooseOption(desk, 'State');
      },
    },
    {
      name: 'auth users: sort by another column',
      run: async (desk) => {
        await desk.open('/users');
        const heads = desk.page.locator('th .sort-button');
        const other = 1 + desk.company.number((await heads.count()) - 1);
        await desk.time(() => heads.nth(other).click());
      },
    },
    {
      name: 'auth users: open one',
      run: async (desk) => {
        await desk.open('/users');
        const links = desk.page.locator('tbody').getByRole('link');
        const link = links.nth(desk.company.number(await links.count()));
        await desk.time(() => link.click());
        await desk.page.getByRole('region', { name: 'History' }).waitFor();
      },
    },
  ],
};

export const PROFILES: Group = {
  name: 'profiles',
  interactions: [
    {
      name: 'profiles: type a letter',
      run: async (desk) => {
        await desk.open('/profiles');
        const words = desk.person.lastName.slice(0, 2 + desk.company.number(3));
        await timeLastLetter(desk, desk.page.getByLabel('Name contains'), words);
      },
    },
    {
      name: 'profiles: filter by type',
      run: async (desk) => {
        await openPart(desk, '/profiles', 'name_contains');
        await chooseOption(desk, 'Type');
      },
    },
    {
      name: 'profiles: filter by status',
      run: async (desk) => {
        await openPart(desk, '/profiles', 'name_contains');
        await chooseOption(desk, 'Status');
      },
    },
    {
      name: 'profiles: next page',
      run: async (desk) => {
        await openPart(desk, '/profiles', 'name_contains');
        await desk.time(() => desk.page.getByRole('button', { name: 'Next' }).click());
      },
    },
    {
      name: 'profiles: open one',
      run: async (desk) => {
        await openPart(desk, '/profiles', 'name_contains');
        await untilRest(desk.page);
        const link = tableRow(desk.page).getByRole('link').first();
        await desk.time(() => link.click());
        await desk.page.getByRole('heading', { level: 1 }).waitFor();
      },
    },
  ],
};
