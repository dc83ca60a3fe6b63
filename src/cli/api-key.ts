// cardea api-key: keys of profile management, made, listed and deleted at the machine.
import { Command } from 'commander';
import { createApiKey, deleteApiKey } from '../identity/profiles/api-keys.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import { type Context, UsageError } from './context.ts';
import { chooseTenant, withData } from './data.ts';

interface Flags {
  readonly name?: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

export function apiKeyCommand(context: Context): Command {
  return new Command('api-key')
    .summary('Make, list and delete API keys of profile management')
    .description('Make, list and delete API keys of profile management')
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(deleteCommand(context));
}

function withTenant(command: Command): Command {
  return command.option('--tenant <name>', 'Tenant of the key [default: the only one]');
}

function createCommand(context: Context): Command {
  const command = newCommand('create', 'Make an API key with full access to profile management');
  command.option('--name <text>', 'What it is for (required)');
  withTenant(command).option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { name, tenant: tenantName, json } = command.opts<Flags>();
    if (name === undefined) throw new UsageError(['--name is missing.']);
    await withData(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { key, kept } = await createApiKey(store, tenant.id, { name });
      const { terminal } = context;
      if (json === true) {
        terminal.printJson({ id: kept.id, name: kept.name, apiKey: key, created: kept.created });
        return;
      }
      terminal.print(key);
      terminal.note(
        `For the tenant ${tenant.name}, until cardea api-key delete ${kept.id}. The key is shown this once.`,
      );
    });
  });
}

function listCommand(context: Context): Command {
  const command = newCommand('list', 'List the API keys of a tenant, without the keys themselves');
  withTenant(command).option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { tenant: tenantName, json } = command.opts<Flags>();
    await withData(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const keys = await store.read.apiKeys(tenant.id);
      const { terminal } = context;
      if (json === true) {
        terminal.printJson(keys.map(({ id, name, created }) => ({ id, name, created })));
        return;
      }
      for (const { id, name, created } of keys) terminal.print(`${id}  ${created}  ${name}`);
      if (keys.length === 0) terminal.note(`The tenant ${tenant.name} has no API key.`);
    });
  });
}

function deleteCommand(context: Context): Command {
  const command = newCommand('delete', 'Delete an API key; it is refused from then on');
  command.argument('<id>', 'Id of the key, as cardea api-key list shows it');
  withTenant(command);
  addSettings(command, 'offline');
  return command.action(async (id: string) => {
    const config = readSettings(command, context);
    const { tenant: tenantName } = command.opts<Flags>();
    await withData(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { name } = await deleteApiKey(store, tenant.id, id);
      context.terminal.note(`The key ${name} is gone.`);
    });
  });
}
