// cardea pat, cardea client, cardea api-key: create, list and delete the credentials of a tenant,
// directly in the store. What differs is in credential-kinds.ts.
import { Command } from 'commander';
import {
  createCredential,
  currentCredentials,
  deleteCredential,
} from '../../service/credentials/credentials.ts';
import type { AuthUser, CredentialKind, Records, Tenant } from '../../service/ports/store.ts';
import { addSettings, addTenantFlag, newCommand, readSettings } from '../common/command-line.ts';
import { CommandError, type Context, UsageError } from '../common/context.ts';
import { chooseTenant, chooseUser, withStore } from '../common/data.ts';
import type { CreateFlags, CredentialCommand } from './credential-kinds.ts';

/** The command of one kind. */
export function credentialCommand<K extends CredentialKind>(
  row: CredentialCommand<K>,
): (context: Context) => Command {
  return (context) =>
    new Command(row.command)
      .summary(row.summary)
      .description(row.description ?? row.summary)
      .addCommand(createCommand(context, row))
      .addCommand(listCommand(context, row))
      .addCommand(deleteCommand(context, row));
}

function createCommand<K extends CredentialKind>(
  context: Context,
  row: CredentialCommand<K>,
): Command {
  const command = newCommand('create', row.createSummary);
  row.addFlags(command);
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const flags = command.opts<CreateFlags>();
    const { name, owner, tenant: tenantName, json } = flags;
    const missing = name === undefined ? [NO_NAME] : [];
    if (row.hasOwner && owner === undefined) throw new UsageError([NO_OWNER, ...missing]);
    if (!row.hasOwner && name === undefined) throw new UsageError(missing);
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user =
        owner === undefined ? null : await chooseOwner(store.read, tenant, owner, missing);
      if (name === undefined) throw new UsageError(missing);
      const body = row.body(flags);
      const { credential, secret } = await createCredential(store, tenant.id, row.kind, body, {
        ownerId: user?.id ?? null,
      });
      const { terminal } = context;
      if (json === true) {
        terminal.printJson(row.shown(credential, secret, user));
        return;
      }
      if (credential.kind === 'key') terminal.print(secret);
      else {
        terminal.print(`export SAIL_CLIENT_ID=${credential.id}`);
        terminal.print(`export SAIL_CLIENT_SECRET=${secret}`);
      }
      terminal.note(`For ${row.terms(credential, tenant, user)} is shown only once.`);
    });
  });
}

const NO_NAME = '--name is missing.';
const NO_OWNER = '--owner is missing.';

/** Finds the owner. @throws UsageError with all that is wrong if something is missing, too */
async function chooseOwner(
  records: Records,
  tenant: Tenant,
  owner: string,
  missing: readonly string[],
): Promise<AuthUser> {
  try {
    return await chooseUser(records, tenant, owner);
  } catch (error) {
    if (!(error instanceof CommandError) || missing.length === 0) throw error;
    throw new UsageError([error.message, ...missing]);
  }
}

function listCommand<K extends CredentialKind>(
  context: Context,
  row: CredentialCommand<K>,
): Command {
  const command = newCommand('list', row.listSummary);
  addTenantFlag(command, row.noun);
  if (row.hasOwner) command.option('--owner <id|uid>', 'Only those of this auth user');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { tenant: tenantName, owner, json } = command.opts<CreateFlags>();
    await withStore(config, context, async ({ store: { read } }) => {
      const tenant = await chooseTenant(read, tenantName);
      const user = owner === undefined ? null : await chooseUser(read, tenant, owner);
      const listed = await currentCredentials(read, tenant.id, row.kind, user?.id ?? null);
      const owners = new Map<string | null, AuthUser | null>([[null, null]]);
      for (const { ownerId } of row.hasOwner ? listed : []) {
        if (ownerId === null || owners.has(ownerId)) continue;
        owners.set(ownerId, await read.authUser(tenant.id, ownerId));
      }
      const ownerOf = (id: string | null) => owners.get(id) ?? null;
      const { terminal } = context;
      if (json === true) {
        terminal.printJson(listed.map((one) => row.shown(one, null, ownerOf(one.ownerId))));
        return;
      }
      for (const one of listed) {
        terminal.print(row.columns(one, ownerOf(one.ownerId)).join('  '));
      }
      const whose = user === null ? `The tenant ${tenant.name}` : user.uid;
      if (listed.length === 0) terminal.note(`${whose} has no ${row.named}.`);
    });
  });
}

function deleteCommand<K extends CredentialKind>(
  context: Context,
  { kind, command: name, noun, named, deleteSummary }: CredentialCommand<K>,
): Command {
  const command = newCommand('delete', deleteSummary);
  command.argument('<id>', `Id of the ${noun}, as cardea ${name} list shows it`);
  addTenantFlag(command, noun);
  addSettings(command, 'offline');
  return command.action(async (id: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<CreateFlags>();
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const deleted = await deleteCredential(store, tenant.id, kind, id);
      context.terminal.note(`The ${named} ${deleted.name} was deleted.`);
    });
  });
}
