// cardea api-key: creates, lists and deletes API keys of profile management, directly in the store.
import type { Command } from 'commander';
import { createApiKey, deleteApiKey } from '../../service/credentials/api-keys.ts';
import { API_KEY_SCOPES, type ApiKey } from '../../service/ports/api-key-records.ts';
import { addSettings, addTenantFlag, newCommand, readSettings } from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';
import { chooseTenant, chooseUser, withStore } from '../common/data.ts';
import { instantOf } from '../common/instant.ts';
import { credentialCommand, timesOf } from './credential-kind.ts';

interface Flags {
  readonly name?: string;
  readonly tenant?: string;
  readonly scope?: string;
  readonly expires?: string;
  readonly owner?: string;
  readonly json?: boolean;
}

export function apiKeyCommand(context: Context): Command {
  return credentialCommand(context, {
    ...{ command: 'api-key', noun: 'key', named: 'API key' },
    summary: 'Create, list and delete API keys of profile management',
    create: createCommand(context),
    listSummary: 'List the API keys of a tenant, without the keys themselves',
    list: async ({ read }, tenant) => (await read.apiKeys(tenant.id)).map(keyJson),
    columns: ({ id, name, created, scope, expires, lastUsed }) => [
      id,
      created,
      scope.padEnd('manage'.length),
      ...timesOf(expires, lastUsed),
      name,
    ],
    deleteSummary: 'Delete an API key; requests with it are refused from then on',
    remove: deleteApiKey,
  });
}

function createCommand(context: Context): Command {
  const command = newCommand('create', 'Create an API key for profile management');
  command.option('--name <text>', 'Purpose of the key (required)');
  addTenantFlag(command, 'key')
    .option('--scope <scope>', `Rights of the key: ${API_KEY_SCOPES.join(', ')} [default: manage]`)
    .option('--expires <date|never>', 'When it expires [default: never]')
    .option('--owner <id|uid>', 'Id or login of the auth user who owns it')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { name, tenant: tenantName, json, scope, expires, owner } = command.opts<Flags>();
    if (name === undefined) throw new UsageError(['--name is missing.']);
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = owner === undefined ? null : await chooseUser(store.read, tenant, owner);
      const request = {
        name,
        ...(scope === undefined ? {} : { scope }),
        ...(expires === undefined ? {} : { expires: instantOf(expires) }),
      };
      const { key, stored } = await createApiKey(store, tenant.id, request, user?.id ?? null);
      const { terminal } = context;
      if (json === true) {
        const { id, ...rest } = keyJson(stored);
        terminal.printJson({ id, apiKey: key, ...rest });
        return;
      }
      terminal.print(key);
      terminal.note(
        `For the tenant ${tenant.name}, to ${stored.scope}, until ${stored.expires ?? `cardea api-key delete ${stored.id}`}. The key is shown only once.`,
      );
    });
  });
}

/** The JSON form of a key. */
function keyJson({ id, name, created, scope, expires, ownerId, lastUsed }: ApiKey) {
  return { id, name, created, scope, expires, ownerId, lastUsed };
}
