// cardea user: shows, disables, enables, signs out and deletes auth users, directly in the store.
import { Command } from 'commander';
import type { UserAction } from '../identity/accounts/auth-user-administration.ts';
import { administerUser } from '../identity/accounts/provisioning.ts';
import { addSettings, addTenantFlag, newCommand, readSettings } from './command-line.ts';
import type { Context } from './context.ts';
import { chooseTenant, chooseUser, withStore } from './data.ts';

interface Flags {
  readonly tenant?: string;
  readonly json?: boolean;
}

export function userCommand(context: Context): Command {
  const change = (action: UserAction, summary: string, done: string) =>
    changeCommand(context, action, summary, done);
  return new Command('user')
    .summary('Show, disable, enable, sign out and delete auth users')
    .description('Show, disable, enable, sign out and delete auth users')
    .addCommand(showCommand(context))
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

function showCommand(context: Context): Command {
  const command = newUserCommand('show', 'Show an auth user');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (idOrUid: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName, json } = command.opts<Flags>();
    await withStore(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = await chooseUser(store.read, tenant, idOrUid);
      const standing = await store.read.userStatus(tenant.id, user.id);
      const enabled = standing?.enabled ?? true;
      const { terminal } = context;
      if (json === true) {
        terminal.printJson({ ...user, enabled });
        return;
      }
      const levels = user.capabilities.join(', ') || 'no capabilities';
      terminal.print(`${user.id}  ${user.uid}  ${enabled ? 'enabled' : 'disabled'}  ${levels}`);
    });
  });
}

function changeCommand(
  context: Context,
  action: UserAction,
  summary: string,
  done: string,
): Command {
  const command = newUserCommand(action, summary);
  addSettings(command, 'offline');
  return command.action(async (idOrUid: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<Flags>();
    await withStore(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { id } = await chooseUser(store.read, tenant, idOrUid);
      const { uid } = await administerUser(store, tenant.id, id, action);
      context.terminal.note(`The auth user ${uid} ${done}.`);
    });
  });
}
