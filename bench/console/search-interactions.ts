// Interactions of the search page: the query box, the filters, the table, and saved searches.
import type { Locator, Page } from 'playwright-core';
import { type Desk, type Group, identities, since, timeLastLetter } from './interaction.ts';
import { untilRest } from './page-clock.ts';

const box = (page: Page) => page.locator('.query-input');
const offers = (page: Page) => page.getByRole('listbox', { name: 'Completions' });
const rows = (page: Page) => page.locator('.rows-all .row');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A clause to complete: a text field, and the beginning of one of its values. */
function beginning({ company, person }: Desk): string {
  const { lastName, displayName, attributes } = person;
  const [field, value] = company.one([
    ['lastName', lastName],
    ['displayName', displayName],
    ['attributes.city', attributes.city],
    ['attributes.jobTitle', attributes.jobTitle],
  ]);
  return `${field}:${value.slice(0, 1 + company.number(3))}`;
}

export const QUERY_BOX: Group = {
  name: 'query box',
  interactions: [
    {
      name: 'type a letter of a field name',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const name = desk.company.one(['attributes.department', 'accounts', 'displayName']);
        const length = 1 + desk.company.number(name.length - 1);
        await timeLastLetter(
          desk,
          box(desk.page),
          `${since(desk.person)} AND ${name.slice(0, length)}`,
        );
      },
    },
    {
      name: 'type a letter of a word',
      run: async (desk) => {
        await desk.open('/search/identities');
        const { lastName } = desk.person;
        await timeLastLetter(desk, box(desk.page), lastName.slice(0, 3 + desk.company.number(3)));
      },
    },
    {
      name: 'type a letter of a value',
      run: async (desk) => {
        await desk.open('/search/identities');
        await timeLastLetter(desk, box(desk.page), beginning(desk));
        await offers(desk.page).getByRole('option').first().waitFor();
      },
    },
    {
      name: 'open the offers',
      run: async (desk) => {
        await desk.open('/search/identities');
        await box(desk.page).fill(beginning(desk));
        await desk.page.keyboard.press('Escape');
        await untilRest(desk.page);
        await desk.time(() => desk.page.keyboard.press('Control+Space'));
        await offers(desk.page).getByRole('option').first().waitFor();
      },
    },
    {
      name: 'accept an offer',
      run: async (desk) => {
        await desk.open('/search/identities');
        await box(desk.page).fill(beginning(desk));
        await offers(desk.page).getByRole('option').first().waitFor();
        await untilRest(desk.page);
        await desk.time(() => desk.page.keyboard.press('Tab'));
      },
    },
    {
      name: 'search for words',
      run: (desk) => search(desk, `${desk.person.lastName} ${desk.person.attributes.city}`),
    },
    {
      name: 'search by a field',
      run: (desk) =>
        search(
          desk,
          `attributes.department:"${desk.person.attributes.department}" AND ${since(desk.person)}`,
        ),
    },
    {
      name: 'search by an account',
      run: (desk) =>
        search(
          desk,
          `@accounts(source.name:"Active Directory" AND disabled:false) AND ${since(desk.person)}`,
        ),
    },
  ],
};

async function search(desk: Desk, query: string): Promise<void> {
  const { page } = desk;
  await desk.open('/search/identities');
  await box(page).fill(query);
  await untilRest(page);
  await desk.time(() => page.keyboard.press('Enter'));
  await rows(page).first().waitFor();
}

const facet = (page: Page, label: string) =>
  page.locator('.facet', { has: page.getByText(label, { exact: true }) });
const FACETS = ['Lifecycle state', 'Department', 'Country', 'Account source', 'Access'];

/** One of the values that some facet shows. */
async function someValue({ page, company }: Desk): Promise<Locator> {
  const values = facet(page, company.one(FACETS)).locator('.facet-value');
  return values.nth(company.number(await values.count()));
}

export const FILTERS: Group = {
  name: 'filters',
  interactions: [
    {
      name: 'choose a facet value',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const value = await someValue(desk);
        await desk.time(() => value.locator('label').click());
        await desk.page.locator('.chip').first().waitFor();
      },
    },
    {
      name: 'exclude a facet value',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const value = await someValue(desk);
        await value.hover();
        await untilRest(desk.page);
        await desk.time(() => value.locator('.facet-exclude').click());
        await desk.page.locator('.chip').first().waitFor();
      },
    },
    {
      name: 'remove a filter',
      run: async (desk) => {
        const { attributes } = desk.person;
        const is = `attributes.department:${attributes.department}`;
        await desk.open(`${identities(since(desk.person))}&${new URLSearchParams({ is })}`);
        await desk.time(() => desk.page.locator('.chip').first().click());
      },
    },
    {
      name: 'show more values of a facet',
      run: async (desk) => {
        // A search page keeps what was unfolded in it.
        await desk.open('/tokens');
        await desk.open(identities(since(desk.person)));
        const more = facet(desk.page, 'Access').getByRole('button', { name: 'Show more' });
        await desk.time(() => more.click());
        await facet(desk.page, 'Access').getByRole('searchbox').waitFor();
      },
    },
    {
      name: 'type a letter to find a value of a facet',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const access = facet(desk.page, 'Access');
        const field = access.getByRole('searchbox');
        if (!(await field.isVisible())) {
          await access.getByRole('button', { name: 'Show more' }).click();
        }
        await field.fill('');
        await untilRest(desk.page);
        const words = desk.company.one(['reader', 'admin', 'payroll', 'editor', 'sales']);
        const length = 1 + desk.company.number(words.length - 1);
        await timeLastLetter(desk, field, words.slice(0, length));
      },
    },
    {
      name: 'change to another type',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const type = desk.company.one(['Events', 'Account activities']);
        await desk.time(() => desk.page.locator('.tabs a', { hasText: type }).click());
        await desk.page.locator('.timeline canvas').waitFor();
      },
    },
  ],
};

export const TABLE: Group = {
  name: 'table',
  interactions: [
    {
      name: 'sort by another column',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const heads = desk.page.locator('.rows-head .head-button');
        const other = 1 + desk.company.number((await heads.count()) - 1);
        await desk.time(() => heads.nth(other).click());
        await desk.page.locator('.rows-head [aria-sort=ascending]').waitFor();
      },
    },
    {
      name: 'load the next page',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        await desk.page.getByRole('grid').focus();
        await untilRest(desk.page);
        await desk.time(() => desk.page.keyboard.press('End'));
      },
    },
    {
      name: 'expand a row',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const row = rows(desk.page).nth(desk.company.number(8));
        await desk.time(() => row.locator('.row-expand').click());
        await desk.page.locator('.row-detail dl').first().waitFor();
      },
    },
    {
      name: 'make rows of accounts',
      run: async (desk) => {
        await desk.open(identities(`@accounts(disabled:false) AND ${since(desk.person)}`));
        const menu = desk.page.getByLabel('Rows are');
        await desk.time(() => menu.selectOption({ label: 'Accounts' }));
        await desk.page.waitForURL(/rows=accounts/);
      },
    },
    {
      name: 'open the saved searches',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const toggle = button(desk.page, 'Saved searches');
        if ((await toggle.getAttribute('aria-expanded')) === 'true') await toggle.click();
        await untilRest(desk.page);
        await desk.time(() => toggle.click());
        await desk.page.getByRole('complementary', { name: 'Saved searches' }).waitFor();
      },
    },
    {
      name: 'open a saved search',
      run: async (desk) => {
        const { page, person } = desk;
        const department = `attributes.department:"${person.attributes.department}"`;
        const name = `Since ${person.created}`;
        await desk.company.call('POST', '/v2024/saved-searches', {
          ...{ name, indices: ['identities'], query: `${department} AND ${since(person)}` },
        });
        await desk.open('/search/roles');
        await desk.open('/search/identities');
        const side = page.getByRole('complementary', { name: 'Saved searches' });
        const toggle = button(page, 'Saved searches');
        // Opened anew, it lists the new search.
        if ((await toggle.getAttribute('aria-expanded')) === 'true') await toggle.click();
        await toggle.click();
        await untilRest(page);
        await desk.time(() => side.getByRole('link', { name }).first().click());
        await page.getByRole('region', { name: 'Saved search' }).getByText(name).waitFor();
      },
    },
  ],
};
