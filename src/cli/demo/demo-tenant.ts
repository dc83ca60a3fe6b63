// Makes the demo tenant in a data directory, or finds it there. What it is made of is noted before the first
// document is written, so a start that was cut short is taken up again with the same company.
// Invariant: credentials are written last; where they fit the store, the tenant is whole.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { demoAdministratorId, demoAuthUsers } from '../../demo/auth-users.ts';
import { type DemoOptions, demoDocumentCount, demoDocuments } from '../../demo/documents.ts';
import { DemoProfiles } from '../../demo/profiles.ts';
import { createPersonalAccessToken, createTenant } from '../../identity/accounts/provisioning.ts';
import type { Documents } from '../../identity/documents/documents.ts';
import type { Store, Tenant } from '../../identity/ports/store.ts';
import { createApiKey } from '../../identity/profiles/api-keys.ts';
import { CommandError, type Context } from '../context.ts';
import { valueLines } from '../value-lines.ts';
import {
  type Credentials,
  readCredentials,
  readJson,
  writeCredentials,
  writeJson,
} from './credentials.ts';
import { fillProfiles } from './demo-profiles.ts';

const TENANT = 'demo';

/** What the demo company was, or is to be, made of. */
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
  /** Made just now, rather than found. */
  readonly fresh: boolean;
  /** The last change sequence; 0 where nothing was written. */
  readonly sequence: number;
}

/**
 * The demo tenant of the data directory, made where there is none.
 * @param wanted used where none was begun before
 * @param baseUrl for the credentials, until the service knows where it listens
 */
export async function demoTenant(
  { dataDir }: Config,
  { store, documents }: { readonly store: Store; readonly documents: Documents },
  wanted: DemoRecipe,
  baseUrl: string,
  context: Context,
): Promise<DemoTenant> {
  mkdirSync(dataDir, { recursive: true });
  const begun = readRecipe(dataDir);
  const recipe = begun ?? wanted;
  const known = readCredentials(dataDir);
  let tenant = await store.read.tenantByName(TENANT);
  if (tenant !== null && begun === null) {
    throw new CommandError(
      `${dataDir} has a tenant called ${TENANT} that cardea demo did not make: use another --data-dir, or cardea serve.`,
    );
  }
  if (tenant !== null && known !== null && (await owns(store, tenant, known.clientId))) {
    return { credentials: known, recipe, fresh: false, sequence: 0 };
  }
  writeJson(recipePath(dataDir), recipe);
  tenant ??= await createTenant(store, { name: TENANT });
  await fill(tenant, documents, recipe, context);
  if (recipe.profiles > 0) {
    const demo = new DemoProfiles({ ...optionsOf(recipe), profiles: recipe.profiles });
    const target = { store, documents, tenant, now: recipe.date };
    await fillProfiles(target, demo, recipe.profiles, context);
  }
  const credentials = await mint(store, tenant, recipe, baseUrl, context);
  writeCredentials(dataDir, credentials);
  const sequence = await store.read.lastSequence();
  return { credentials, recipe, fresh: true, sequence };
}

async function owns(store: Store, tenant: Tenant, clientId: string): Promise<boolean> {
  const found = await store.read.tokenById(clientId);
  return found?.tenantId === tenant.id;
}

/** Imports the company; what is there already stays as it is. */
async function fill(
  tenant: Tenant,
  documents: Documents,
  recipe: DemoRecipe,
  { terminal, stop }: Context,
): Promise<void> {
  const options = optionsOf(recipe);
  const total = demoDocumentCount(recipe.identities);
  const progress = terminal.progress('Making the demo tenant', total, 'documents');
  try {
    const users = demoAuthUsers({ ...options, tenant: tenant.name });
    await documents.importAuthUsers(tenant.id, valueLines(users, stop), {
      strict: true,
      actor: null,
    });
    const report = await documents.importDocuments(
      tenant.id,
      valueLines(demoDocuments(options), stop),
      {
        strict: true,
        actor: null,
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

/** A token that does not end, for an ORG_ADMIN of the company. */
async function mint(
  store: Store,
  tenant: Tenant,
  recipe: DemoRecipe,
  baseUrl: string,
  { now }: Context,
): Promise<Credentials> {
  const owner = demoAdministratorId(recipe);
  // The time keeps the name apart from that of a start that was cut short after this.
  const { token, secret } = await createPersonalAccessToken(store, tenant.id, owner, {
    name: `cardea demo ${new Date(now()).toISOString()}`,
    expirationDate: null,
    userAwareTokenNeverExpires: true,
  });
  const { key } = await createApiKey(store, tenant.id, { name: 'cardea demo' });
  return {
    baseUrl,
    tenant: tenant.name,
    clientId: token.id,
    clientSecret: secret,
    apiKey: key,
  };
}

function recipePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

function readRecipe(dataDir: string): DemoRecipe | null {
  const value = readJson(recipePath(dataDir));
  if (value === null) return null;
  // One that was made before there were profiles goes without.
  const { seed, identities, profiles = 0, date } = value as Partial<DemoRecipe>;
  const whole =
    [seed, identities, profiles].every(Number.isInteger) && !Number.isNaN(Date.parse(date ?? ''));
  if (whole) return { ...(value as DemoRecipe), profiles };
  throw new CommandError(`${recipePath(dataDir)} does not say what the demo is made of.`);
}
