// The tasks for which people open the console, from a signed-in start to the result: how many clicks and
// characters each takes. A click on a file of the dialog of the system counts, too; keys that choose, such
// as Enter, count as characters. Prints the figures.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addUser } from '../../support/callers.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';

const CLICKS_MAX = 8;

let world: ConsoleWorld;
let locked = '';
before(async () => {
  world = await startConsoleWorld();
  const view = { name: 'sales', indices: { identities: 'attributes.department:Sales' } };
  const made = await world.service.call('POST', '/admin/v1/views', view);
  assert.equal(made.status, 201, await made.clone().text());
  locked = (await addUser(world.service, { capabilities: ['HELPDESK'] })).userId;
});
after(() => world?.stop());
afterEach(() => world.endTest());

/** A person at the console, whose clicks and characters are counted. */
class Hand {
  clicks = 0;
  characters = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: true }).first());
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name, exact: true }).first());
  }

  /** Types where the focus is, once it is in a text box: a dialog that was asked for may still open. */
  async type(text: string): Promise<void> {
    this.characters += text.length;
    await this.page.waitForFunction("document.activeElement?.matches('input, textarea')");
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.characters++;
    await this.page.keyboard.press(key);
  }

  /** Opens a select box, and clicks an option. */
  async choose(select: Locator, label: string): Promise<void> {
    this.clicks += 2;
    await select.selectOption({ label });
  }

  /** Opens the dialog of the system, and clicks a file. */
  async file(name: string, text: string): Promise<void> {
    this.clicks += 2;
    const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
    await this.page.getByLabel('Choose a file').setInputFiles(file);
  }
}

interface Task {
  readonly name: string;
  /** Ends when the result is on the screen. */
  readonly perform: (hand: Hand) => Promise<void>;
}

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const rows = (page: Page) => page.locator('.rows-all .row');

const TASKS: readonly Task[] = [
  {
    name: 'find leavers with open accounts',
    perform: async (hand) => {
      await hand.link('Dashboards');
      await hand.link('Inactive with enabled accounts');
      await rows(hand.page).first().waitFor();
    },
  },
  {
    name: 'save what was found as CSV',
    perform: async (hand) => {
      await hand.button('Export');
      const saved = hand.page.waitForEvent('download');
      await hand.click(hand.page.getByRole('button', { name: /^CSV/ }).first());
      await saved;
    },
  },
  {
    name: 'see why a person is not found',
    perform: async (hand) => {
      await hand.button('Why missing?');
      await hand.type('abebe obi');
      await hand.press('Enter');
      await hand.page.getByText('This search finds it').waitFor();
    },
  },
  {
    name: 'create a token with a view',
    perform: async (hand) => {
      await hand.link('Tokens');
      await hand.click(hand.page.getByLabel('New token name'));
      await hand.type('report');
      await hand.choose(hand.page.getByLabel('View'), 'sales');
      await hand.button('Create token');
      await hand.page.getByRole('button', { name: 'Done' }).waitFor();
    },
  },
  {
    name: 'create a user with a level',
    perform: async (hand) => {
      await hand.link('Auth users');
      await hand.link('New auth user');
      await hand.click(hand.page.getByLabel('Login (UID)'));
      await hand.type('ada');
      await hand.press('Tab');
      await hand.type('Ada Lovelace');
      await hand.press('Enter');
      await heading(hand.page, 'Ada Lovelace');
      await hand.click(hand.page.getByRole('checkbox', { name: /^Help desk/ }));
      await hand.button('Apply');
      await hand.page.getByText('Held 1').waitFor();
    },
  },
  {
    name: 'lock a user',
    perform: async (hand) => {
      await hand.link('Auth users');
      await hand.click(hand.page.getByLabel('Name, UID, email or ID'));
      await hand.type(locked.slice(0, 8));
      await hand.link(new RegExp(locked));
      await hand.button('Disable');
      await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: 'Disable' }));
      await hand.page.locator('.pill', { hasText: 'Disabled' }).waitFor();
    },
  },
  {
    name: 'import a CSV',
    perform: async (hand) => {
      await hand.link('Data');
      await hand.file('people.csv', 'Personalnummer;Vorname;Nachname\n1;Ada;Lovelace\n');
      await hand.button('Import');
      await hand.page.getByText('1 created').waitFor();
    },
  },
  {
    name: 'save a search and schedule it',
    perform: async (hand) => {
      await hand.button('Save');
      await hand.type('Everybody');
      await hand.press('Enter');
      await hand.button('Schedules and runs');
      await hand.button('Add schedule');
      await hand.button('Save schedule');
      const form = hand.page.getByRole('button', { name: 'Save schedule' });
      await form.waitFor({ state: 'detached' });
      await hand.page
        .getByRole('dialog')
        .getByText(/^Weekly on/)
        .waitFor();
    },
  },
  {
    name: 'see who changed what',
    perform: async (hand) => {
      await hand.link('Audit');
      await hand.click(hand.page.getByRole('button', { name: /^Details of/ }).first());
      await hand.page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'list the members of a role',
    perform: async (hand) => {
      await hand.click(hand.page.getByRole('link', { name: /^Roles/ }));
      await hand.page.locator('.tabs a[aria-current]', { hasText: 'Roles' }).waitFor();
      await hand.click(hand.page.locator('.query-input'));
      await hand.type('payroll clerk');
      await hand.press('Enter');
      await hand.click(rows(hand.page).getByRole('link', { name: 'Payroll Clerk' }).first());
      await hand.page.getByRole('region', { name: 'Who has access' }).first().waitFor();
    },
  },
  {
    name: 'compare two people',
    perform: async (hand) => {
      await hand.click(rows(hand.page).getByRole('link').first());
      await hand.button('Compare with…');
      await hand.type('abebe obi');
      await hand.press('Enter');
      await heading(hand.page, 'Compare people');
    },
  },
];

for (const { name, perform } of TASKS) {
  test(`${name} within ${CLICKS_MAX} clicks`, async (context) => {
    const page = await world.open('/search');
    await rows(page).first().waitFor();
    const hand = new Hand(page);
    await perform(hand);
    context.diagnostic(`${name}: ${hand.clicks} clicks, ${hand.characters} characters`);
    assert.ok(hand.clicks <= CLICKS_MAX, `${hand.clicks} clicks`);
  });
}
