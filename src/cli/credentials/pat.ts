// cardea pat: creates, lists and deletes personal access tokens of auth users, directly in the store.
import type { Command } from 'commander';
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
} from '../../service/accounts/provisioning.ts';
import { validTokensOf } from '../../service/credentials/personal-access-tokens.ts';
import type { AuthUser, PersonalAccessToken, Records, Tenant } from '../../service/ports/store.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  integer,
  newCommand,
  readSettings,
} from '../common/command-line.ts';
import { CommandError, type Context, UsageError } from '../common/context.ts';
import { chooseTenant, chooseUser, withStore } from '../common/data.ts';
import { instantOf } from '../common/instant.ts';
import { credentialCommand, restrictionOf, timesOf, viewOf } from './credential-kind.ts';

interface Flags {
  readonly owner?: string;
  readonly name?: string;
  readonly tenant?: string;
  readonly scope?: readonly string[];
  readonly validity?: number;
  readonly expires?: string;
  readonly view?: string;
  readonly json?: boolean;
}

export function patCommand(context: Context): Command {
  return credentialCommand(context, {
    ...{ command: 'pat', noun: 'token', named: 'personal access token', hasOwner: true },
    summary: 'Create, list and delete personal access tokens',
    create: createCommand(context),
    listSummary: 'List the personal access tokens of a tenant, without their secrets',
    async list({ read }, tenant, owner) {
      const tokens = await validTokensOf(read, tenant.id, owner?.id ?? null, Date.now());
      const logins = await loginsOf(read, tenant, tokens);
      return tokens.map((token) => tokenJson(token, logins.get(token.ownerId) ?? null));
    },
    columns: ({ clientId, created, expirationDate, lastUsed, owner, ownerId, name, view }) => [
      clientId,
      created,
      ...timesOf(expirationDate, lastUsed),
      owner ?? ownerId,
      name,
      ...viewOf(view),
    ],
    deleteSummary: 'Delete a personal access token; its access tokens are refused from then on',
    remove: deletePersonalAccessToken,
  });
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
    .option('--view <name>', 'View that the token is restricted to')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { owner, name, tenant: tenantName, json, ...flags } = command.opts<Flags>();
    if (owner === undefined) {
      throw new UsageError(['--owner is missing.', ...(name === undefined ? [NO_NAME] : [])]);
    }
    await withStore(config, context, async ({ store }) => {
      const tenant = await chooseTenant(store.read, tenantName);
      const user = await chooseOwner(store.read, tenant, owner, name);
      if (name === undefined) throw new UsageError([NO_NAME]);
      const { token, secret } = await createPersonalAccessToken(store, tenant.id, user.id, {
        name,
        ...requestOf(flags),
      });
      const { terminal } = context;
      if (json === true) {
        const { id: clientId, scope, expirationDate, view } = token;
        terminal.printJson({
          clientId,
          clientSecret: secret,
          owner: user.id,
          scope,
          expirationDate,
          ...(view !== null && { view }),
        });
        return;
      }
      terminal.print(`export SAIL_CLIENT_ID=${token.id}`);
      terminal.print(`export SAIL_CLIENT_SECRET=${secret}`);
      terminal.note(
        `For ${user.uid}${restrictionOf(token)}, until ${token.expirationDate ?? 'it is deleted'}. The secret is shown only once.`,
      );
    });
  });
}

function requestOf({
  scope,
  validity,
  expires,
  view,
}: Pick<Flags, 'scope' | 'validity' | 'expires' | 'view'>) {
  return {
    ...(view === undefined ? {} : { view }),
    ...(scope === undefined ? {} : { scope }),
    ...(validity === undefined ? {} : { accessTokenValiditySeconds: validity }),
    ...(expires === undefined ? {} : { userAwareTokenNeverExpires: true }),
    ...(expires === undefined ? {} : { expirationDate: instantOf(expires) }),
  };
}

const NO_NAME = '--name is missing.';

/** Finds the owner. @throws UsageError with all that is wrong if the name is missing, too */
async function chooseOwner(
  records: Records,
  tenant: Tenant,
  owner: string,
  name: string | undefined,
): Promise<AuthUser> {
  try {
    return await chooseUser(records, tenant, owner);
  } catch (error) {
    if (!(error instanceof CommandError) || name !== undefined) throw error;
    throw new UsageError([error.message, NO_NAME]);
  }
}

/** The logins of owners, by id. */
async function loginsOf(
  records: Records,
  tenant: Tenant,
  tokens: readonly PersonalAccessToken[],
): Promise<ReadonlyMap<string, string>> {
  const logins = new Map<string, string>();
  for (const { ownerId } of tokens) {
    if (logins.has(ownerId)) continue;
    const owner = await records.authUser(tenant.id, ownerId);
    if (owner !== null) logins.set(ownerId, owner.uid);
  }
  return logins;
}

/** The JSON form of a token. @param owner login of its owner */
function tokenJson(token: PersonalAccessToken, owner: string | null) {
  const { id: clientId, name, ownerId, scope, created, expirationDate, lastUsed, view } = token;
  const shown = { clientId, name, owner, ownerId, scope, created, expirationDate, lastUsed };
  return { ...shown, ...(view !== null && { view }) };
}
