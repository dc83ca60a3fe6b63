// cardea user: lists, shows, creates, grants and revokes levels of, disables, enables, signs out and
// deletes auth users, directly in the store.
import { Command } from 'commander';
import { ServiceError } from '../errors.ts';
import {
  type CollectionFilter,
  readCollectionFilter,
} from '../query/collections/collection-filter.ts';
import { administeredForm, type UserAction } from '../service/accounts/auth-user-administration.ts';
import { holderRows, holdersHead } from '../service/accounts/auth-user-directory.ts';
import { administerUser, changeLevels, createUser } from '../service/accounts/provisioning.ts';
import { byOperator } from '../service/audit/operator-event.ts';
import { filterHints } from '../service/lists/filter-hints.ts';
import { AUTH_USER_FIELDS, type ListedAuthUser } from '../service/ports/auth-user-list.ts';
import type { Records } from '../service/ports/store.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  newCommand,
  readSettings,
} from './common/command-line.ts';
import { CommandError, type Context, UsageError } from './common/context.ts';
import { chooseTenant, chooseUser, withStore } from './common/data.ts';
import type { StopSignal } from './common/stop-signal.ts';

interface Flags {
  readonly tenant?: string;
  readonly json?: boolean;
}

export function userCommand(context: Context): Command {
  const change = (action: UserAction, summary: string, done: string) =>
    changeCommand(context, action, summary, done);
  return new Command('user')
    .summary('List, create, change, disable, sign out and delete auth users')
    .description('List, create, change, disable, sign out and delete auth users')
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(createCommand(context))
    .addCommand(levelsCommand(context, 'grant'))
    .addCommand(levelsCommand(context, 'revoke'))
    .addCommand(
      change('disable', 'Refuse all tokens of an auth user until it is enabled', 'is disabled'),
    )
    .addCommand(change('enable', 'Let a disabled auth user get tokens again', 'is enabled'))
    .addCommand(change('sign-out', 'End all access tokens that an auth user has', 'was signed out'))
    .addCommand(
      change('delete', 'Delete an auth user with its personal access tokens', 'was deleted'),
    );
}

function newUserCommand(name: string, summary: string): Command {
  const command = newCommand(name, summary);
  command.argument('<id|uid>', 'Id or login of the auth user');
  return addTenantFlag(command, 'auth user');
}

/** Auth users that are read at a time. */
const PAGE = 1_000;

interface ChangeFlags extends Flags {
  readonly external?: boolean;
}

interface ListFlags extends Flags {
  readonly capability?: readonly string[];
  readonly filter?: string;
  readonly csv?: boolean;
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List auth users and their capabilities');
  addFlag(
    command,
    '--capability <name>',
    'Only auth users with this capability, and only its rows with --csv; repeatable: those with all of them',
    collected(),
  );
  command
    .option('--filter <filter>', 'Filter as of the API, such as: enabled eq false and name sw "a"')
    .option('--csv', 'Print a row for each auth user and capability, for spreadsheets')
    .option('--json', 'Print a JSON object for each auth user');
  addTenantFlag(command, 'auth users');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { tenant: tenantName, ...flags } = command.opts<ListFlags>();
    if (flags.csv === true && flags.json === true) {
      throw new UsageError(['--csv and --json cannot be combined.']);
    }
    const filter = filterOf(flags);
    for (const hint of filterHints(flags.filter ?? '')) context.terminal.note(hint);
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { terminal } = context;
      if (flags.csv === true) terminal.raw.csv(holdersHead());
      for await (const listed of matchingUsers(store.read, tenant.id, filter, context.stop)) {
        if (flags.csv === true) terminal.raw.csv(holderRows(listed, flags.capability));
        else if (flags.json === true) terminal.printJson(administeredForm(listed));
        else terminal.print(lineOf(listed));
      }
    });
  });
}

/** Parses a repeatable flag. */
function collected(): (text: string) => readonly string[] {
  const texts: string[] = [];
  return (text) => {
    texts.push(text);
    return texts;
  };
}

/** @throws UsageError for a filter that cannot be read */
function filterOf({ capability: capabilities = [], filter }: ListFlags): CollectionFilter | null {
  const parts: CollectionFilter[] = [];
  try {
    const written = readCollectionFilter(filter, AUTH_USER_FIELDS);
    if (written !== null) parts.push(written);
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError([`--filter: ${error.message}`]);
    throw error;
  }
  if (capabilities.length > 0) {
    parts.push({
      kind: 'compare',
      field: 'capabilities',
      operator: 'ca',
      values: capabilities,
    });
  }
  const [only] = parts;
  return only === undefined || parts.length === 1 ? (only ?? null) : { kind: 'and', parts };
}

/** The matching auth users by id, page after page. */
async function* matchingUsers(
  records: Pick<Records, 'listAuthUsers'>,
  tenantId: string,
  filter: CollectionFilter | null,
  stop: StopSignal,
): AsyncGenerator<ListedAuthUser> {
  for (let after: string | null = null; ; ) {
    stop.check();
    const query = { filter, sorters: [], limit: PAGE, offset: 0, after, count: false };
    const { users } = await records.listAuthUsers(tenantId, query);
    yield* users;
    if (users.length < PAGE) return;
    after = users.at(-1)?.user.id ?? null;
  }
}

function lineOf({ user, status }: ListedAuthUser): string {
  const levels = user.capabilities.join(', ') || 'no capabilities';
  const state = status.enabled ? 'enabled' : 'disabled';
  const view = status.view === null ? [] : [`view ${status.view}`];
  return [user.id, user.uid, state, levels, ...view].join('  ');
}

function showCommand(context: Context): Command {
  const command = newUserCommand('show', 'Show an auth user');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (idOrUid: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName, json } = command.opts<Flags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = await chooseUser(store.read, tenant, idOrUid);
      const status = await store.read.userStatus(tenant.id, user.id);
      const { enabled = true, view = null } = status ?? {};
      if (json === true) context.terminal.printJson({ ...user, enabled, view });
      else context.terminal.print(lineOf({ user, status: { enabled, tokensValidFrom: 0, view } }));
    });
  });
}

interface CreateFlags extends Flags {
  readonly uid?: string;
  readonly name?: string;
  readonly email?: string;
  readonly id?: string;
  readonly view?: string;
  readonly capability?: readonly string[];
}

function createCommand(context: Context): Command {
  const command = newCommand('create', 'Create an auth user')
    .option('--uid <login>', 'Login, unique in the tenant (required)')
    .option('--name <name>', 'Name to show [default: the login]')
    .option('--email <address>', 'E-mail address')
    .option('--id <id>', 'Id, such as that of the identity [default: a new one]')
    .option('--view <name>', 'View that restricts the auth user');
  addFlag(command, '--capability <name>', 'A capability that it gets; repeatable', collected());
  addTenantFlag(command, 'auth user').option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { refuseExclusivePairs } = config;
    const flags = command.opts<CreateFlags>();
    const { uid, name: displayName, email, id, view, capability: capabilities = [] } = flags;
    if (uid === undefined) throw new UsageError(['--uid is missing.']);
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, flags.tenant);
      const members = { uid, displayName, email, id, view, capabilities };
      const created = await createUser(store, tenant, members, { refuseExclusivePairs });
      if (flags.json === true) context.terminal.printJson(administeredForm(created));
      else context.terminal.print(lineOf(created));
    });
  });
}

function levelsCommand(context: Context, action: 'grant' | 'revoke'): Command {
  const summaries = {
    grant: 'Grant capabilities to an auth user',
    revoke: 'Revoke capabilities of an auth user',
  };
  const command = newCommand(action, summaries[action])
    .argument('<id|uid>', 'Id or login of the auth user')
    .argument('<capability...>', 'Capabilities, such as ROLE_ADMIN');
  addTenantFlag(command, 'auth user').option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (idOrUid: string, named: readonly string[]) => {
    const config = readSettings(command, context);
    const { refuseExclusivePairs } = config;
    const { tenant: tenantName, json } = command.opts<Flags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { id } = await chooseUser(store.read, tenant, idOrUid);
      const next = (current: readonly string[]) => {
        if (action === 'grant') return [...new Set([...current, ...named])];
        refuseNotHeld(current, named);
        return current.filter((capability) => !named.includes(capability));
      };
      const { uid, capabilities } = await changeLevels(store, tenant.id, id, next, {
        refuseExclusivePairs,
      });
      if (json === true) context.terminal.printJson({ id, uid, capabilities });
      else context.terminal.print(`${uid}: ${capabilities.join(', ') || 'no capabilities'}`);
    });
  });
}

/** A mistyped name must not look as if it had been revoked. @throws CommandError */
function refuseNotHeld(held: readonly string[], named: readonly string[]): void {
  const missing = named.filter((capability) => !held.includes(capability));
  if (missing.length === 0) return;
  const has = held.length === 0 ? 'It has none' : `It has ${held.join(', ')}`;
  throw new CommandError(`The auth user does not have ${missing.join(', ')}. ${has}.`);
}

function changeCommand(
  context: Context,
  action: UserAction,
  summary: string,
  done: string,
): Command {
  const command = newUserCommand(action, summary);
  if (action !== 'delete') {
    command.option('--external', 'Of another issuer, whose id need not be that of an auth user');
  }
  addSettings(command, 'offline');
  return command.action(async (idOrUid: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName, external = false } = command.opts<ChangeFlags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const id = external ? idOrUid : (await chooseUser(store.read, tenant, idOrUid)).id;
      const choices = {
        ...{ mayBeAbsent: external, mayBeNamed: external },
        policy: config.tokenPolicy,
      };
      const change = () => ({ ...byOperator(), ...choices });
      const name = await administerUser(store, tenant.id, id, action, change);
      const isAbsent = external && (await store.read.userStatus(tenant.id, id)) === null;
      const who = isAbsent ? 'No auth user has this id. The person' : 'The auth user';
      context.terminal.note(`${who} ${name} ${done}.`);
    });
  });
}
