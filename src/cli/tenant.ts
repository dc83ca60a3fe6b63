// cardea tenant: creates a tenant with its first administrator and a personal access token, and lists
// tenants, directly in the store.
import { Command } from 'commander';
import { createAdmin, createTenant } from '../service/accounts/provisioning.ts';
import { createCredential } from '../service/credentials/credentials.ts';
import { addSettings, newCommand, readSettings } from './common/command-line.ts';
import type { Context } from './common/context.ts';
import { withNewStore, withStore } from './common/data.ts';
import { grouped } from './common/terminal.ts';
import { sameData } from './help/suggestion.ts';

interface Flags {
  readonly pod?: string;
  readonly admin?: string;
  readonly email?: string;
  readonly json?: boolean;
}

export function tenantCommand(context: Context): Command {
  return new Command('tenant')
    .summary('Create and list tenants')
    .description('Create and list tenants')
    .addCommand(createCommand(context))
    .addCommand(listCommand(context));
}

function createCommand(context: Context): Command {
  const command = newCommand(
    'create',
    'Create a tenant with an administrator and a personal access token',
  )
    .argument('<name>', 'name of the tenant: lower-case letters, digits and hyphens')
    .option('--pod <name>', 'Pod of the search hits [default: local]')
    .option('--admin <uid>', 'Login of the administrator [default: admin]')
    .option('--email <address>', 'Address of the administrator')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (name: string) => {
    const config = readSettings(command, context);
    const { pod, admin: uid = 'admin', email, json } = command.opts<Flags>();
    await withNewStore(config, context, async ({ store }) => {
      const tenant = await createTenant(store, { name, pod });
      const admin = await createAdmin(store, tenant, { uid, email });
      const body = { name: 'first token' };
      const { credential: token, secret } = await createCredential(store, tenant.id, 'pat', body, {
        ownerId: admin.id,
      });
      const result = { tenant: name, admin: admin.id, clientId: token.id, clientSecret: secret };
      if (json === true) {
        context.terminal.printJson({ ...result, expirationDate: token.expires });
        return;
      }
      context.terminal.print(`export SAIL_CLIENT_ID=${token.id}`);
      context.terminal.print(`export SAIL_CLIENT_SECRET=${secret}`);
      context.terminal.note(
        `For ${uid} (${admin.id}), the administrator of ${name}. The secret is shown only once.`,
      );
    });
  });
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List the tenants, with their numbers of documents');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { json } = command.opts<Flags>();
    const tenants = await withStore(config, context, async ({ store }) => {
      const listed = [];
      for (const { id, name, pod } of await store.read.tenants()) {
        const counts = Object.values(await store.read.documentCounts(id));
        listed.push({ id, name, pod, documents: counts.reduce((sum, count) => sum + count, 0) });
      }
      return listed;
    });
    const { terminal } = context;
    if (json === true) {
      terminal.printJson(tenants);
      return;
    }
    for (const { id, name, pod, documents } of tenants) {
      terminal.print(`${id}  ${pod}  ${grouped(documents)} documents  ${name}`);
    }
    if (tenants.length === 0) {
      const command = sameData(config, 'cardea tenant create NAME');
      terminal.note(`There is no tenant yet: create one with ${command}.`);
    }
  });
}
