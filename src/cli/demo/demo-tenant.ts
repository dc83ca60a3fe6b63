// Creates the demo tenant in a data directory, or finds an existing one. Its recipe is saved before
// the first document is written, so an interrupted start is continued with the same company.
// Invariant: credentials are written last; if they match the store, the tenant is complete.
import { mkdirSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { demoAdministratorId, demoAuthUsers } from '../../demo/auth-users.ts';
import { type DemoOptions, demoDocumentCount, demoDocuments } from '../../demo/documents.ts';
import { DemoProfiles } from '../../demo/profiles.ts';
import { createTenant } from '../../service/accounts/provisioning.ts';
import { operatorOf } from '../../service/audit/operator-event.ts';
import { createCredential } from '../../service/credentials/credentials.ts';
import type { Documents } from '../../service/imports/documents.ts';
import type { Store, Tenant } from '../../service/ports/store.ts';
import { CommandError, type Context, UsageError } from '../common/context.ts';
import { valueLines } from '../common/value-lines.ts';
import { sameData } from '../help/suggestion.ts';
import {
  type Credentials,
  readCredentials,
  readJson,
  recipePath,
  writeCredentials,
  writeJson,
} from './credentials.ts';
import { fillProfiles } from './demo-profiles.ts';

const TENANT = 'demo';

/** The parameters that the demo company is generated from. */
export interface DemoRecipe {
  readonly seed: number;
  readonly identities: number;
  readonly profiles: number;
  /** The reference date, ISO 8601. */
  readonly date: string;
}

export interface DemoTenant {
  readonly credentials: Credentials;
  readonly recipe: DemoRecipe;
  /** True if it was created by this start. */
  readonly fresh: boolean;
  /** The last change sequence; 0 if nothing was written. */
  readonly sequence: number;
}

/**
 * Returns the demo tenant of the data directory, and creates it if there is none.
 * @param requested used if no earlier start has saved a recipe
 * @param baseUrl for the credentials, until the service has its address
 */
export async function demoTenant(
  config: Config,
  { store, documents }: { readonly store: Store; readonly documents: Documents },
  requested: DemoRecipe,
  baseUrl: string,
  context: Context,
): Promise<DemoTenant> {
  const { dataDir } = config;
  mkdirSync(dataDir, { recursive: true });
  const savedRecipe = readRecipe(dataDir);
  const recipe = savedRecipe ?? requested;
  const savedCredentials = readCredentials(dataDir);
  let tenant = await store.read.tenantByName(TENANT);
  if (tenant !== null && savedRecipe === null) {
    throw new UsageError([
      `${dataDir} has a tenant called ${TENANT} that cardea demo did not create: use another --data-dir, or ${sameData(config, 'cardea serve')}.`,
    ]);
  }
  if (
    tenant !== null &&
    savedCredentials !== null &&
    (await owns(store, tenant, savedCredentials.clientId))
  ) {
    return { credentials: savedCredentials, recipe, fresh: false, sequence: 0 };
  }
  writeJson(recipePath(dataDir), recipe);
  tenant ??= await createTenant(store, { name: TENANT });
  await fillTenant(tenant, documents, recipe, context);
  const owner = demoAdministratorId(recipe);
  const credentials = await createCredentials(store, tenant, owner, baseUrl, context);
  writeCredentials(dataDir, credentials);
  const sequence = await store.read.lastSequence();
  return { credentials, recipe, fresh: true, sequence };
}

async function owns(store: Store, tenant: Tenant, clientId: string): Promise<boolean> {
  const token = await store.read.credentialById(clientId);
  return token?.tenantId === tenant.id;
}

/** Imports the company of a recipe; existing records are unchanged. */
export async function fillTenant(
  tenant: Tenant,
  documents: Documents,
  recipe: DemoRecipe,
  context: Pick<Context, 'terminal' | 'stop'>,
): Promise<void> {
  await fillDocuments(tenant, documents, recipe, context);
  if (recipe.profiles === 0) return;
  const demo = new DemoProfiles({ ...optionsOf(recipe), profiles: recipe.profiles });
  const target = { documents, tenant, now: recipe.date };
  await fillProfiles(target, demo, recipe.profiles, context);
}

async function fillDocuments(
  tenant: Tenant,
  documents: Documents,
  recipe: DemoRecipe,
  { terminal, stop }: Pick<Context, 'terminal' | 'stop'>,
): Promise<void> {
  const options = optionsOf(recipe);
  const total = demoDocumentCount(recipe.identities);
  const progress = terminal.progress('Creating the demo tenant', total, 'documents');
  try {
    const users = demoAuthUsers({ ...options, tenant: tenant.name });
    await documents.importAuthUsers(operatorOf(tenant.id), valueLines(users, stop), {
      strict: true,
      isSeed: true,
    });
    const report = await documents.importDocuments(
      operatorOf(tenant.id),
      valueLines(demoDocuments(options), stop),
      {
        strict: true,
        isSeed: true,
        onProgress: ({ created, updated, unchanged }) =>
          progress.update(created + updated + unchanged),
      },
    );
    const [fault] = report.faults;
    if (fault !== undefined) {
      throw new CommandError(`A demo document was refused (${fault.line}): ${fault.reason}`);
    }
    progress.update(total);
  } finally {
    progress.end();
  }
}

function optionsOf({ seed, identities, date }: DemoRecipe): DemoOptions {
  return { seed, identities, now: Date.parse(date) };
}

/** Creates a token that does not expire, for the ORG_ADMIN `owner`, and an API key. */
export async function createCredentials(
  store: Store,
  tenant: Tenant,
  owner: string,
  baseUrl: string,
  { now }: Pick<Context, 'now'>,
): Promise<Credentials> {
  // The time makes the name unique if an earlier start was interrupted after this.
  const personal = {
    name: `cardea demo ${new Date(now()).toISOString()}`,
    expirationDate: null,
    userAwareTokenNeverExpires: true,
  };
  const { credential: token, secret } = await createCredential(store, tenant.id, 'pat', personal, {
    ownerId: owner,
  });
  const body = { name: 'cardea demo' };
  const { secret: apiKey } = await createCredential(store, tenant.id, 'key', body);
  return {
    baseUrl,
    tenant: tenant.name,
    clientId: token.id,
    clientSecret: secret,
    apiKey,
  };
}

function readRecipe(dataDir: string): DemoRecipe | null {
  const value = readJson(recipePath(dataDir));
  if (value === null) return null;
  const { seed, identities, profiles, date } = value as Partial<DemoRecipe>;
  const isComplete =
    [seed, identities, profiles].every(Number.isInteger) && !Number.isNaN(Date.parse(date ?? ''));
  if (isComplete) return value as DemoRecipe;
  throw new UsageError([`${recipePath(dataDir)} is not a valid recipe of the demo.`]);
}
