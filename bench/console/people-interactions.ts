// Interactions of the pages of people: their access, accounts and events, and the comparison.
import type { Page } from 'playwright-core';
import { type Desk, type Group, identities, since, timeLastLetter } from './interaction.ts';
import { untilRest } from './page-clock.ts';

const tab = (page: Page, name: string) => page.locator('.tabs a', { hasText: name });
const addressOf = (id: string) => `/document/identities/${id}`;

async function openTab(desk: Desk, name: string): Promise<void> {
  await desk.open(addressOf(desk.person.id));
  await desk.time(() => tab(desk.page, name).click());
}

export const PEOPLE: Group = {
  name: 'people',
  interactions: [
    {
      name: 'open a person',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const row = desk.page.locator('.rows-all .row').nth(desk.company.number(10));
        await desk.time(() => row.getByRole('link').click());
        await desk.page.getByRole('heading', { level: 1 }).waitFor();
      },
    },
    {
      name: 'open the accounts of a person',
      run: async (desk) => {
        await openTab(desk, 'Accounts');
        await desk.page.locator('.document-body table').waitFor();
      },
    },
    {
      name: 'open the access graph of a person',
      run: async (desk) => {
        await openTab(desk, 'Access');
        await desk.page.locator('.graph-node').first().waitFor();
      },
    },
    {
      name: 'type a letter to filter the access graph',
      run: async (desk) => {
        await desk.open(`${addressOf(desk.person.id)}?tab=access`);
        const field = desk.page.getByLabel('Filter the graph by name');
        await timeLastLetter(desk, field, desk.company.one(['al', 'st', 'ac', 'ma', 're']));
      },
    },
    {
      name: 'show access as tables',
      run: async (desk) => {
        await desk.open(`${addressOf(desk.person.id)}?tab=access`);
        await desk.time(() => desk.page.locator('.choice-option', { hasText: 'Table' }).click());
        await desk.page.getByRole('heading', { level: 2, name: 'Entitlements' }).waitFor();
      },
    },
    { name: 'open the timeline of a person', run: (desk) => openTab(desk, 'Timeline') },
    { name: 'open the events of a person', run: (desk) => openTab(desk, 'Events') },
    {
      name: 'choose whom to compare with',
      run: async (desk) => {
        await desk.open(addressOf(desk.person.id));
        await desk.time(() => desk.page.getByRole('button', { name: 'Compare with…' }).click());
        await desk.page.getByLabel('Name or email of the person').waitFor();
      },
    },
    {
      name: 'type a letter of a person to compare with',
      run: async (desk) => {
        await desk.open(addressOf(desk.person.id));
        await desk.page.getByRole('button', { name: 'Compare with…' }).click();
        await untilRest(desk.page);
        const field = desk.page.getByLabel('Name or email of the person');
        const { displayName } = await desk.company.person();
        await timeLastLetter(desk, field, displayName.slice(0, 2 + desk.company.number(6)));
        await desk.page
          .getByRole('list', { name: 'Matches' })
          .getByRole('button')
          .first()
          .waitFor();
      },
    },
    {
      name: 'compare two people',
      run: async (desk) => {
        await desk.open(addressOf(desk.person.id));
        await desk.page.getByRole('button', { name: 'Compare with…' }).click();
        const { displayName } = await desk.company.person();
        await desk.page.getByLabel('Name or email of the person').fill(displayName);
        await untilRest(desk.page);
        const match = desk.page.getByRole('list', { name: 'Matches' }).getByRole('button').first();
        await desk.time(() => match.click());
        await desk.page.getByRole('region', { name: 'Both', exact: true }).waitFor();
      },
    },
  ],
};
