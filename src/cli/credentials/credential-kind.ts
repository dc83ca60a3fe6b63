// The commands that list and delete the credentials of a tenant, directly in the store: one row for
// each kind of credential.
import { Command } from 'commander';
import type { AuthUser, Store, Tenant } from '../../service/ports/store.ts';
import { addSettings, addTenantFlag, newCommand, readSettings } from '../common/command-line.ts';
import type { Context } from '../common/context.ts';
import { chooseTenant, chooseUser, withStore } from '../common/data.ts';

export interface CredentialKind<Listed extends object> {
  /** The command, such as `api-key`. */
  readonly command: string;
  readonly summary: string;
  readonly description?: string;
  /** The credential in the help, such as `key`. */
  readonly noun: string;
  /** The credential in messages, such as `API client`. */
  readonly named: string;
  readonly create: Command;
  readonly listSummary: string;
  /** Whether a list may be of one owner. */
  readonly hasOwner?: boolean;
  /** What `--json` prints. */
  list(store: Store, tenant: Tenant, owner: AuthUser | null): Promise<readonly Listed[]>;
  /** The columns of a line. */
  columns(listed: Listed): readonly string[];
  readonly deleteSummary: string;
  /** @returns what was deleted */
  remove(store: Store, tenantId: string, id: string): Promise<{ readonly name: string }>;
}

export function credentialCommand<Listed extends object>(
  context: Context,
  kind: CredentialKind<Listed>,
): Command {
  return new Command(kind.command)
    .summary(kind.summary)
    .description(kind.description ?? kind.summary)
    .addCommand(kind.create)
    .addCommand(listCommand(context, kind))
    .addCommand(deleteCommand(context, kind));
}

interface ListFlags {
  readonly tenant?: string;
  readonly owner?: string;
  readonly json?: boolean;
}

function listCommand<Listed extends object>(
  context: Context,
  { noun, named, listSummary, hasOwner, list, columns }: CredentialKind<Listed>,
): Command {
  const command = newCommand('list', listSummary);
  addTenantFlag(command, noun);
  if (hasOwner) command.option('--owner <id|uid>', 'Only those of this auth user');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { tenant: tenantName, owner, json } = command.opts<ListFlags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = owner === undefined ? null : await chooseUser(store.read, tenant, owner);
      const listed = await list(store, tenant, user);
      const { terminal } = context;
      if (json === true) {
        terminal.printJson(listed);
        return;
      }
      for (const one of listed) terminal.print(columns(one).join('  '));
      const whose = user === null ? `The tenant ${tenant.name}` : user.uid;
      if (listed.length === 0) terminal.note(`${whose} has no ${named}.`);
    });
  });
}

function deleteCommand(
  context: Context,
  kind: Pick<CredentialKind<never>, 'command' | 'noun' | 'named' | 'deleteSummary' | 'remove'>,
): Command {
  const command = newCommand('delete', kind.deleteSummary);
  command.argument('<id>', `Id of the ${kind.noun}, as cardea ${kind.command} list shows it`);
  addTenantFlag(command, kind.noun);
  addSettings(command, 'offline');
  return command.action(async (id: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<Pick<ListFlags, 'tenant'>>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { name } = await kind.remove(store, tenant.id, id);
      context.terminal.note(`The ${kind.named} ${name} was deleted.`);
    });
  });
}

/** When a credential ends, and was used, as columns. */
export function timesOf(ends: string | null, lastUsed: string | null): readonly string[] {
  return [
    ends === null ? 'does not expire' : `expires ${ends}`,
    lastUsed === null ? 'never used' : `last used ${lastUsed}`,
  ];
}

/** The view that a credential is restricted to, as a column; none without one. */
export function viewOf(view: string | undefined): readonly string[] {
  return view === undefined ? [] : [`view ${view}`];
}

/** The view of a credential in the note of its creation; empty without one. */
export function restrictionOf({ view }: { readonly view: string | null }): string {
  return view === null ? '' : `, restricted to the view ${view}`;
}
