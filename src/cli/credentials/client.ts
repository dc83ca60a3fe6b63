// cardea client: creates, lists and deletes API clients, directly in the store.
import type { Command } from 'commander';
import { createClient, deleteClient } from '../../service/accounts/provisioning.ts';
import {
  DEFAULT_REFRESH_SECONDS,
  GRANT_TYPES,
  LONGEST_REFRESH_SECONDS,
} from '../../service/credentials/oauth-client-request.ts';
import type { OAuthClient } from '../../service/ports/store.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  integer,
  newCommand,
  readSettings,
} from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';
import { chooseTenant, withStore } from '../common/data.ts';
import { credentialCommand, restrictionOf, viewOf } from './credential-kind.ts';

interface Flags {
  readonly name?: string;
  readonly tenant?: string;
  readonly description?: string;
  readonly scope?: readonly string[];
  readonly grant?: readonly string[];
  readonly validity?: number;
  readonly refreshValidity?: number;
  readonly view?: string;
  readonly json?: boolean;
}

export function clientCommand(context: Context): Command {
  return credentialCommand(context, {
    ...{ command: 'client', noun: 'client', named: 'API client' },
    summary: 'Create, list and delete API clients',
    description:
      'Create, list and delete API clients: credentials of programs that act for themselves',
    create: createCommand(context),
    listSummary: 'List the API clients of a tenant, without their secrets',
    list: async ({ read }, tenant) =>
      (await read.clientsOf(tenant.id)).map((client) => ({
        clientId: client.id,
        ...clientJson(client),
      })),
    columns: ({ clientId, created, enabled, name, view }) => [
      clientId,
      created,
      enabled ? 'enabled ' : 'disabled',
      name,
      ...viewOf(view),
    ],
    deleteSummary: 'Delete an API client; its tokens are refused from then on',
    remove: deleteClient,
  });
}

function createCommand(context: Context): Command {
  const command = newCommand('create', 'Create an API client, whose tokens belong to no user');
  command.option('--name <text>', 'Name of the client (required)');
  addTenantFlag(command, 'client')
    .option('--description <text>', 'Purpose of the client')
    .option('--scope <scope...>', 'What its tokens may do [default: sp:scopes:all]')
    .option(
      '--grant <type...>',
      `How it gets tokens: ${GRANT_TYPES.slice(0, 2).join(', ')} [default: ${GRANT_TYPES[0]}]`,
    );
  addFlag(
    command,
    '--validity <seconds>',
    'How long an access token lasts [default: 43200]',
    integer(15, 43_200),
  );
  addFlag(
    command,
    '--refresh-validity <seconds>',
    `How long a refresh token may stay unused [default: ${DEFAULT_REFRESH_SECONDS}]`,
    integer(15, LONGEST_REFRESH_SECONDS),
  );
  command
    .option('--view <name>', 'View that the client is restricted to')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { tenant: tenantName, json, ...flags } = command.opts<Flags>();
    if (flags.name === undefined) throw new UsageError(['--name is missing.']);
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const { client, secret } = await createClient(store, tenant.id, requestOf(flags));
      const { terminal } = context;
      if (json === true) {
        terminal.printJson({ clientId: client.id, clientSecret: secret, ...clientJson(client) });
        return;
      }
      terminal.print(`export SAIL_CLIENT_ID=${client.id}`);
      terminal.print(`export SAIL_CLIENT_SECRET=${secret}`);
      terminal.note(
        `For the tenant ${tenant.name}${restrictionOf(client)}, until cardea client delete ${client.id}. The secret is shown only once.`,
      );
    });
  });
}

function requestOf({ name, description, scope, grant, validity, refreshValidity, view }: Flags) {
  return {
    view,
    name,
    description,
    scope,
    grantTypes: grant?.map((type) => type.toUpperCase()),
    accessTokenValiditySeconds: validity,
    refreshTokenValiditySeconds: refreshValidity,
  };
}

/** The JSON form of a client, without its id. */
function clientJson({ name, grantTypes, scope, enabled, created, lastUsed, view }: OAuthClient) {
  return { name, grantTypes, scope, enabled, created, lastUsed, ...(view !== null && { view }) };
}
