// cardea pat create: creates a personal access token for an auth user, directly in the store.
import { Command } from 'commander';
import { createPersonalAccessToken } from '../identity/accounts/provisioning.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  integer,
  newCommand,
  readSettings,
} from './command-line.ts';
import { type Context, UsageError } from './context.ts';
import { chooseTenant, chooseUser, withStore } from './data.ts';
import { instantOf } from './instant.ts';

interface Flags {
  readonly owner?: string;
  readonly name?: string;
  readonly tenant?: string;
  readonly scope?: readonly string[];
  readonly validity?: number;
  readonly expires?: string;
  readonly json?: boolean;
}

export function patCommand(context: Context): Command {
  return new Command('pat')
    .summary('Create personal access tokens')
    .description('Create personal access tokens')
    .addCommand(createCommand(context));
}

function createCommand(context: Context): Command {
  const command = newCommand('create', 'Create a personal access token for an auth user')
    .option('--owner <id|uid>', 'Id or login of the auth user (required)')
    .option('--name <text>', 'Name of the token, unique for its owner (required)');
  addTenantFlag(command, 'owner').option(
    '--scope <scope...>',
    'Scopes of the token [default: sp:scopes:all]',
  );
  addFlag(
    command,
    '--validity <seconds>',
    'Lifetime of access tokens issued for it [default: 43200]',
    integer(15, 43_200),
  );
  command
    .option('--expires <date|never>', 'When it expires [default: in six months]')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { owner, name, tenant: tenantName, json, ...flags } = command.opts<Flags>();
    if (owner === undefined || name === undefined) {
      const missing = { '--owner': owner, '--name': name };
      throw new UsageError(
        Object.entries(missing)
          .filter(([, value]) => value === undefined)
          .map(([flag]) => `${flag} is missing.`),
      );
    }
    await withStore(config, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = await chooseUser(store.read, tenant, owner);
      const { token, secret } = await createPersonalAccessToken(store, tenant.id, user.id, {
        name,
        ...requestOf(flags),
      });
      const { terminal } = context;
      if (json === true) {
        const { id: clientId, scope, expirationDate } = token;
        terminal.printJson({
          clientId,
          clientSecret: secret,
          owner: user.id,
          scope,
          expirationDate,
        });
        return;
      }
      terminal.print(`export SAIL_CLIENT_ID=${token.id}`);
      terminal.print(`export SAIL_CLIENT_SECRET=${secret}`);
      terminal.note(
        `For ${user.uid}, until ${token.expirationDate ?? 'it is deleted'}. The secret is shown only once.`,
      );
    });
  });
}

function requestOf({ scope, validity, expires }: Pick<Flags, 'scope' | 'validity' | 'expires'>) {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(validity === undefined ? {} : { accessTokenValiditySeconds: validity }),
    ...(expires === undefined ? {} : { userAwareTokenNeverExpires: true }),
    ...(expires === undefined ? {} : { expirationDate: instantOf(expires) }),
  };
}
