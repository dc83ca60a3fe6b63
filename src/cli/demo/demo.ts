// cardea demo: serves a realistic company, which the first start creates and later starts reuse.
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.ts';
import { exposure } from '../../config/exposure.ts';
import {
  IDENTITIES_DEFAULT,
  IDENTITIES_MOST,
  PROFILES_DEFAULT,
  PROFILES_MOST,
  profilesByDefault,
  SEED_DEFAULT,
} from '../../demo/sizes.ts';
import { addFlag, addSettings, integer, newCommand, readSettings } from '../common/command-line.ts';
import { commandLog } from '../common/command-log.ts';
import type { Context } from '../common/context.ts';
import { indexUpTo } from '../common/data.ts';
import { optimiseSooner } from '../common/optimise-sooner.ts';
import { addNewFlag, type NewFlag, withService } from '../common/serve.ts';
import { grouped, type Terminal } from '../common/terminal.ts';
import { pageLines } from '../help/start-pages.ts';
import {
  type Credentials,
  credentialsPath,
  curlLine,
  exportLines,
  firstStepsPath,
  writeCredentials,
  writeFirstSteps,
} from './credentials.ts';
import type { DemoRecipe, DemoTenant } from './demo-tenant.ts';
import { checkPort } from './free-port.ts';
import { addSeedFlag } from './seed-flag.ts';

interface Flags extends NewFlag {
  readonly identities?: number;
  readonly profiles?: number;
  readonly seed?: number;
  readonly date?: string;
}

export function demoCommand(context: Context): Command {
  const command = newCommand('demo', 'Serve a realistic demo tenant, created on the first start');
  addFlag(
    command,
    '--identities <number>',
    `Number of identities of the company [default: ${IDENTITIES_DEFAULT}]`,
    integer(1, IDENTITIES_MOST),
  );
  addFlag(
    command,
    '--profiles <number>',
    `Number of profiles in profile management; 0 for no profile management [default: 5 for each 2 identities, ${PROFILES_DEFAULT} at most]`,
    integer(0, PROFILES_MOST),
  );
  addSeedFlag(command);
  addFlag(
    command,
    '--date <yyyy-mm-dd>',
    'Reference date of the company; the same seed and date give the same bytes [default: today]',
    day,
  );
  addNewFlag(command);
  addSettings(command, 'all');
  return command.action(async () => {
    const config = readSettings(command, context);
    await demo(config, command.opts<Flags>(), context);
  });
}

async function demo(config: Config, flags: Flags, context: Context): Promise<void> {
  const { terminal, stop, version } = context;
  const identities = flags.identities ?? IDENTITIES_DEFAULT;
  const recipe: DemoRecipe = {
    seed: flags.seed ?? SEED_DEFAULT,
    identities,
    profiles: flags.profiles ?? profilesByDefault(identities),
    date: `${flags.date ?? new Date(context.now()).toISOString().slice(0, 10)}T00:00:00.000Z`,
  };
  const options = { log: commandLog(config, terminal), version, newStore: flags.new ?? false };
  await withService(config, options, async (service) => {
    await checkPort(config);
    // Indexing runs while the documents are created.
    service.indexer.start();
    const { demoTenant } = await import('./demo-tenant.ts');
    const tenant = await demoTenant(config, service, recipe, expectedUrl(config), context);
    noteIgnoredFlags(flags, tenant, terminal);
    if (tenant.fresh) {
      await indexUpTo(service.indexer, { from: 0, sequence: tenant.sequence }, terminal, stop);
    }
    const { url } = await service.start();
    optimiseSooner();
    const credentials = updateBaseUrl(config, tenant.credentials, config.baseUrl ?? url);
    writeFirstSteps(config.dataDir, credentials);
    const code = () => service.signInCodes.create(credentials.clientId);
    printStart(config, credentials, tenant, terminal, code);
    await stop.wait();
    terminal.note('Stopping.');
  });
}

/** The address at which the service will most likely listen. */
function expectedUrl({ baseUrl, tls, host, port }: Config): string {
  return baseUrl ?? `${tls === null ? 'http' : 'https'}://${host}:${port}`;
}

/** Updates the address in the credentials to that of this start. */
function updateBaseUrl(
  { dataDir }: Config,
  credentials: Credentials,
  baseUrl: string,
): Credentials {
  if (credentials.baseUrl === baseUrl) return credentials;
  const updated = { ...credentials, baseUrl };
  writeCredentials(dataDir, updated);
  return updated;
}

/** Notes flags that an existing company does not match, since it is not created again. */
function noteIgnoredFlags(flags: Flags, { recipe, fresh }: DemoTenant, terminal: Terminal): void {
  const { seed = recipe.seed, identities = recipe.identities, profiles = recipe.profiles } = flags;
  const date = flags.date ?? recipe.date.slice(0, 10);
  const same =
    seed === recipe.seed &&
    identities === recipe.identities &&
    profiles === recipe.profiles &&
    recipe.date.startsWith(date);
  if (same) return;
  terminal.note(
    `${fresh ? 'An interrupted start is continued' : 'The demo tenant exists already'}: ${grouped(recipe.identities)} identities, ${grouped(recipe.profiles)} profiles, seed ${recipe.seed}, ${recipe.date.slice(0, 10)}. For a different one use another --data-dir.`,
  );
}

function printStart(
  config: Config,
  credentials: Credentials,
  { recipe, fresh }: DemoTenant,
  terminal: Terminal,
  newCode: () => string,
): void {
  terminal.print(
    `Cardea serves the tenant "${credentials.tenant}" (${grouped(recipe.identities)} identities, ${grouped(recipe.profiles)} profiles, ${fresh ? 'just created' : 'existing'}) at ${credentials.baseUrl}`,
  );
  for (const line of pageLines(config, credentials.baseUrl)) terminal.print(line);
  // Other output is a log, which others may read, so it gets no secrets.
  if (terminal.isWatched && config.console !== null && exposure(config) === null) {
    const { baseUrl } = credentials;
    terminal.print(`Signed in at once, one time: ${baseUrl}/console/#/sign-in?code=${newCode()}`);
  }
  terminal.print(`Credentials of an ORG_ADMIN: ${credentialsPath(config.dataDir)}`);
  const firstSteps = firstStepsPath(config.dataDir);
  if (terminal.isWatched) {
    terminal.print();
    for (const line of exportLines(credentials)) terminal.print(line);
    terminal.print();
    terminal.print('Managers with an open account in Active Directory:');
    terminal.print(`  ${curlLine(credentials)}`);
    terminal.print();
  } else {
    // Run by `sh`, the variables would end with that shell.
    terminal.print(`Environment lines and a first search: . ${firstSteps}`);
  }
  terminal.print('Ctrl-C stops it.');
}

function day(text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError(
    `must be a day such as 2025-06-30 (it is ${JSON.stringify(text)}).`,
  );
}
