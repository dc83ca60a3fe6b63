// cardea view: creates, replaces, lists, shows, tests and deletes views, and restricts auth users to
// them, directly in the store.
import { Command } from 'commander';
import { INDEX_NAMES } from '../query/mapping/document-types.ts';
import { restrictAuthUser } from '../service/accounts/auth-user-administration.ts';
import { byOperator } from '../service/audit/operator-event.ts';
import { currentCredentials } from '../service/credentials/credentials.ts';
import type { Records, Tenant } from '../service/ports/store.ts';
import type { View } from '../service/ports/view-records.ts';
import { Views } from '../service/views/views.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  newCommand,
  readSettings,
} from './common/command-line.ts';
import { CommandError, type Context, UsageError } from './common/context.ts';
import { chooseTenant, chooseUser, withData, withStore } from './common/data.ts';
import { grouped } from './common/terminal.ts';
import { countRows } from './search-command/row-sources.ts';
import { openSearch } from './search-command/searches.ts';

interface Flags {
  readonly tenant?: string;
  readonly description?: string;
  readonly show: readonly string[];
  readonly hide: readonly string[];
  readonly json?: boolean;
}

export function viewCommand(context: Context): Command {
  const summary =
    'Create, replace, list, test and delete views: parts of a tenant that credentials see';
  return new Command('view')
    .summary(summary)
    .description(summary)
    .addCommand(writeCommand(context, 'create', 'Create a view'))
    .addCommand(
      writeCommand(context, 'replace', 'Replace a view; what no flag names is empty then'),
    )
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(testCommand(context))
    .addCommand(assignCommand(context))
    .addCommand(deleteCommand(context));
}

function newViewCommand(name: string, summary: string): Command {
  const command = newCommand(name, summary).argument('<name>', 'Name of the view');
  return addTenantFlag(command, 'view');
}

function writeCommand(context: Context, action: 'create' | 'replace', summary: string): Command {
  const command = newViewCommand(action, summary);
  const [show, hide]: [string[], string[]] = [[], []];
  const collect = (list: string[]) => (text: string) => {
    list.push(text);
    return list;
  };
  command.option('--description <text>', 'Whom the view is for');
  addFlag(
    command,
    '--show <index=query>',
    'Documents of an index that the view shows: a query, or * for all; repeatable (required)',
    collect(show),
  );
  addFlag(
    command,
    '--hide <field>',
    'A field that the view hides, with all that is below it; repeatable',
    collect(hide),
  );
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (name: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName, description, json } = command.opts<Flags>();
    if (show.length === 0) throw new UsageError(['--show is missing.']);
    const body = { name, description, indices: Object.fromEntries(show.map(shown)), hide };
    await withStore(config, context, async ({ store, documents }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const views = new Views({ store, documents, limits: config.limits });
      const change = changeIn(tenant);
      const { view, hints } =
        action === 'create'
          ? await views.createBy(change, body)
          : await views.replaceBy(change, name, body);
      if (json === true) context.terminal.printJson(view);
      else context.terminal.note(`The view ${view.name} was ${action}d.`);
      for (const hint of hints) context.terminal.note(`Look again: ${hint}.`);
    });
  });
}

/** @throws UsageError */
function shown(text: string): [index: string, query: string] {
  const at = text.indexOf('=');
  const index = text.slice(0, at);
  if (at > 0 && INDEX_NAMES.some((name) => name === index)) return [index, text.slice(at + 1)];
  throw new UsageError([
    `--show ${text}: expected an index and a query, such as identities='attributes.department:Sales'; the indices are ${INDEX_NAMES.join(', ')}.`,
  ]);
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List the views of a tenant');
  addTenantFlag(command, 'views').option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { tenant: tenantName, json } = command.opts<Flags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const views = await store.read.views(tenant.id);
      const { terminal } = context;
      if (json === true) {
        terminal.printJson(views);
        return;
      }
      for (const { name, indices, description } of views) {
        terminal.print([name, Object.keys(indices).join(','), description].join('  '));
      }
      if (views.length === 0) terminal.note(`The tenant ${tenant.name} has no view.`);
    });
  });
}

function showCommand(context: Context): Command {
  const command = newViewCommand('show', 'Print a view as JSON');
  addSettings(command, 'offline');
  return command.action(async (name: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<Flags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      context.terminal.printJson(known(await store.read.view(tenant.id, name), name));
    });
  });
}

function testCommand(context: Context): Command {
  const command = newViewCommand('test', 'Count what a view shows of each index').option(
    '--json',
    'Print the result as JSON',
  );
  addSettings(command, 'offline');
  return command.action(async (name: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName, json } = command.opts<Flags>();
    await withData(config, context, async (data) => {
      const { read } = data.store;
      const tenant = await chooseTenant(read, tenantName);
      known(await read.view(tenant.id, name), name);
      const source = await openSearch(data, { tenant, views: [name] }, config, context);
      const counts: Record<string, number> = {};
      for (const index of INDEX_NAMES) {
        const { total } = await countRows(source, { indices: [index], query: { query: '*' } });
        counts[index] = total ?? 0;
      }
      const { terminal } = context;
      if (json === true) terminal.printJson(counts);
      else
        for (const [index, count] of Object.entries(counts)) terminal.print(`${index}  ${count}`);
    });
  });
}

function assignCommand(context: Context): Command {
  const command = newCommand('assign', 'Restrict all tokens of an auth user to a view')
    .argument('<id|uid>', 'Id or login of the auth user')
    .argument('[name]', 'Name of the view; without it nothing restricts the auth user any more');
  addTenantFlag(command, 'auth user');
  addSettings(command, 'offline');
  return command.action(async (idOrUid: string, name: string | undefined) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<Flags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = await chooseUser(store.read, tenant, idOrUid);
      await store.write((records) =>
        restrictAuthUser(records, tenant.id, user.id, name ?? null, byOperator()),
      );
      const now = name === undefined ? 'is not restricted' : `is restricted to ${name}`;
      context.terminal.note(`${user.uid} ${now}.`);
    });
  });
}

function deleteCommand(context: Context): Command {
  const command = newViewCommand(
    'delete',
    'Delete a view; who is restricted to it sees nothing from then on',
  );
  addSettings(command, 'offline');
  return command.action(async (name: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<Flags>();
    await withStore(config, context, async ({ store, documents }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const views = new Views({ store, documents, limits: config.limits });
      await views.removeBy(changeIn(tenant), name);
      context.terminal.note(
        `The view ${name} was deleted.${await describeHolders(store.read, tenant, name)}`,
      );
    });
  });
}

/** A sentence about the users and credentials of a view that was deleted; empty if there are none. */
async function describeHolders(records: Records, tenant: Tenant, name: string): Promise<string> {
  const filter = { kind: 'compare', field: 'view', operator: 'eq', values: [name] } as const;
  const query = { filter, sorters: [], limit: 0, offset: 0, count: true };
  const { total: users } = await records.listAuthUsers(tenant.id, query);
  const isHeld = (holder: { readonly view: string | null }) => holder.view === name;
  const counts: readonly (readonly [number, string])[] = [
    [users ?? 0, 'auth user'],
    [(await currentCredentials(records, tenant.id, 'pat')).filter(isHeld).length, 'token'],
    [(await currentCredentials(records, tenant.id, 'client')).filter(isHeld).length, 'client'],
  ];
  const holders = counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`);
  if (holders.length === 0) return '';
  const isOne = counts.reduce((sum, [count]) => sum + count, 0) === 1;
  const list = new Intl.ListFormat('en-GB').format(holders);
  return ` ${list} ${isOne ? 'sees' : 'see'} nothing from now on.`;
}

function changeIn({ id: tenantId }: Tenant) {
  return { ...byOperator(), tenantId };
}

/** @throws CommandError for a view that does not exist */
function known(view: View | null, name: string): View {
  if (view === null) throw new CommandError(`There is no view called ${JSON.stringify(name)}.`);
  return view;
}
