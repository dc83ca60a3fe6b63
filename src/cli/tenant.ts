// cardea tenant create: creates a tenant, its first administrator and a personal access token.
import { Command } from 'commander';
import {
  createAdmin,
  createPersonalAccessToken,
  createTenant,
} from '../identity/accounts/provisioning.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import type { Context } from './context.ts';
import { withNewStore } from './data.ts';

interface Flags {
  readonly pod?: string;
  readonly admin?: string;
  readonly email?: string;
  readonly json?: boolean;
}

export function tenantCommand(context: Context): Command {
  return new Command('tenant')
    .summary('Create tenants')
    .description('Create tenants')
    .addCommand(createCommand(context));
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
    await withNewStore(config, async ({ store }) => {
      const tenant = await createTenant(store, { name, pod });
      const admin = await createAdmin(store, tenant, { uid, email });
      const { token, secret } = await createPersonalAccessToken(store, tenant.id, admin.id, {
        name: 'first token',
      });
      const result = { tenant: name, admin: admin.id, clientId: token.id, clientSecret: secret };
      if (json === true) {
        context.terminal.printJson({ ...result, expirationDate: token.expirationDate });
        return;
      }
      context.terminal.print(`Tenant ${name} with the administrator ${uid} (${admin.id}).`);
      context.terminal.print(`export SAIL_CLIENT_ID=${token.id}`);
      context.terminal.print(`export SAIL_CLIENT_SECRET=${secret}`);
      context.terminal.note('The secret is shown only once.');
    });
  });
}
