// Interactions of every page: the navigation, the theme, and the dashboards.
import { type Desk, type Group, identities, since } from './interaction.ts';

/** From the search page by the navigation. */
async function navigate(desk: Desk, label: string): Promise<void> {
  const { page, person } = desk;
  await desk.open(identities(since(person)));
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await desk.time(() => pages.getByRole('link', { name: label, exact: true }).click());
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** A dashboard of six tiles, whose searches are about a share of the company. */
function dashboardOf({ person }: Desk, name: string): unknown {
  const query = since(person);
  const search = { indices: ['identities'], query };
  const tile = (title: string, more: object) => ({ title, width: 1, search, ...more });
  const values = (field: string) => ({ kind: 'values', field, size: 8 });
  return {
    name,
    shared: false,
    tiles: [
      tile('People', { kind: 'number' }),
      tile('Privileged', {
        ...{ kind: 'number' },
        search: { ...search, query: `@accounts(privileged:true) AND ${query}` },
      }),
      tile('Departments', values('attributes.department')),
      tile('Countries', values('attributes.country')),
    ],
  };
}

const PAGES = ['Profiles', 'Auth users', 'Audit', 'Tokens', 'Clients', 'Status', 'Data'];

export const EVERYWHERE: Group = {
  name: 'pages',
  interactions: [
    {
      name: 'change the theme',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        const theme = desk.page.getByRole('button', { name: /^Theme: / });
        await desk.time(() => theme.click());
      },
    },
    { name: 'go to the dashboard', run: (desk) => navigate(desk, 'Dashboards') },
    ...PAGES.map((label) => ({
      name: `go to ${label.toLowerCase()}`,
      run: (desk: Desk) => navigate(desk, label),
    })),
    {
      name: 'go back to a search',
      run: async (desk) => {
        await desk.open(identities(since(desk.person)));
        await desk.open('/tokens');
        await desk.time(() =>
          desk.page.evaluate('dispatchEvent(new Event("input")); history.back()'),
        );
        await desk.page.locator('.rows-all .row').first().waitFor();
      },
    },
    {
      name: 'open another dashboard',
      run: async (desk) => {
        const { page, company, person } = desk;
        const name = `Since ${person.created}`;
        await company.call('POST', '/admin/v1/dashboards', dashboardOf(desk, name));
        await desk.open('/search/roles');
        await desk.open('/dashboard');
        await page.getByRole('button', { name: 'Dashboards' }).click();
        const link = page
          .getByRole('navigation', { name: 'Dashboards' })
          .getByRole('link', { name });
        await desk.time(() => link.click());
        await page.getByRole('heading', { level: 1, name }).waitFor();
      },
    },
    {
      name: 'change the time range of a dashboard',
      run: async (desk) => {
        const range = `${desk.person.created}|2026-01-01T00:00:00.000Z`;
        await desk.open(`/dashboard?${new URLSearchParams({ in: range })}`);
        const from = desk.page.getByLabel('From');
        const day = new Date(Date.UTC(2025, 0, 1 + desk.company.number(330)));
        await desk.time(() => from.fill(day.toISOString().slice(0, 10)));
      },
    },
  ],
};
