// cardea demo: serve a believable company, made on the first start and found on every later one.
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config.ts';
import { IDENTITIES_DEFAULT, IDENTITIES_MOST } from '../../demo/documents.ts';
import { PROFILES_DEFAULT, PROFILES_MOST } from '../../demo/profiles.ts';
import { addFlag, addSettings, integer, newCommand, readSettings } from '../command-line.ts';
import type { Context } from '../context.ts';
import { commandLog, indexUpTo } from '../data.ts';
import { withService } from '../serve.ts';
import { grouped, type Terminal } from '../terminal.ts';
import {
  type Credentials,
  credentialsPath,
  curlLine,
  exportLines,
  firstStepsPath,
  writeCredentials,
  writeFirstSteps,
} from './credentials.ts';
import { type DemoRecipe, type DemoTenant, demoTenant } from './demo-tenant.ts';

const SEED_DEFAULT = 1;

interface Flags {
  readonly identities?: number;
  readonly profiles?: number;
  readonly seed?: number;
  readonly date?: string;
}

export function demoCommand(context: Context): Command {
  const command = newCommand('demo', 'Serve a realistic demo tenant, made on the first start');
  addFlag(
    command,
    '--identities <number>',
    `How many identities the company has [default: ${IDENTITIES_DEFAULT}]`,
    integer(1, IDENTITIES_MOST),
  );
  addFlag(
    command,
    '--profiles <number>',
    `How many profiles its profile management has; 0 for none at all [default: ${PROFILES_DEFAULT}]`,
    integer(0, PROFILES_MOST),
  );
  addFlag(
    command,
    '--seed <number>',
    `Another number, another company [default: ${SEED_DEFAULT}]`,
    integer(0, 2 ** 31 - 1),
  );
  addFlag(
    command,
    '--date <yyyy-mm-dd>',
    'The day the company is seen on; the same seed and day give the same bytes [default: today]',
    day,
  );
  addSettings(command, 'all');
  return command.action(async () => {
    const config = readSettings(command, context);
    await demo(config, command.opts<Flags>(), context);
  });
}

async function demo(config: Config, flags: Flags, context: Context): Promise<void> {
  const { terminal, stop, version } = context;
  const wanted: DemoRecipe = {
    seed: flags.seed ?? SEED_DEFAULT,
    identities: flags.identities ?? IDENTITIES_DEFAULT,
    profiles: flags.profiles ?? PROFILES_DEFAULT,
    date: `${flags.date ?? new Date(context.now()).toISOString().slice(0, 10)}T00:00:00.000Z`,
  };
  await withService(config, { log: commandLog(config), version }, async (service) => {
    // Indexing goes on while the documents are made.
    service.indexer.start();
    const made = await demoTenant(config, service, wanted, expectedUrl(config), context);
    noteOtherWishes(flags, made, terminal);
    if (made.fresh) {
      await indexUpTo(service.indexer, { from: 0, sequence: made.sequence }, terminal, stop);
    }
    const { url } = await service.start();
    const credentials = settled(config, made.credentials, config.baseUrl ?? url);
    writeFirstSteps(config.dataDir, credentials);
    tell(config, credentials, made, terminal);
    await stop.wait();
    terminal.note('Stopping.');
  });
}

/** Where the service will most likely listen. */
function expectedUrl({ baseUrl, tls, host, port }: Config): string {
  return baseUrl ?? `${tls === null ? 'http' : 'https'}://${host}:${port}`;
}

/** The credentials with the address of this start. */
function settled({ dataDir }: Config, credentials: Credentials, baseUrl: string): Credentials {
  if (credentials.baseUrl === baseUrl) return credentials;
  const moved = { ...credentials, baseUrl };
  writeCredentials(dataDir, moved);
  return moved;
}

/** A company that is there already is not remade. */
function noteOtherWishes(flags: Flags, { recipe, fresh }: DemoTenant, terminal: Terminal): void {
  const { seed = recipe.seed, identities = recipe.identities, profiles = recipe.profiles } = flags;
  const date = flags.date ?? recipe.date.slice(0, 10);
  const same =
    seed === recipe.seed &&
    identities === recipe.identities &&
    profiles === recipe.profiles &&
    recipe.date.startsWith(date);
  if (same) return;
  terminal.note(
    `${fresh ? 'A start that was cut short is taken up' : 'The demo tenant is there already'}: ${grouped(recipe.identities)} identities, ${grouped(recipe.profiles)} profiles, seed ${recipe.seed}, ${recipe.date.slice(0, 10)}. For another one use another --data-dir.`,
  );
}

function tell(
  config: Config,
  credentials: Credentials,
  made: DemoTenant,
  terminal: Terminal,
): void {
  terminal.print(
    `Cardea serves the tenant "${credentials.tenant}" (${grouped(made.recipe.identities)} identities, ${grouped(made.recipe.profiles)} profiles, ${made.fresh ? 'made just now' : 'as found'}) at ${credentials.baseUrl}`,
  );
  terminal.print(`Credentials of an ORG_ADMIN: ${credentialsPath(config.dataDir)}`);
  const firstSteps = firstStepsPath(config.dataDir);
  // What is not a terminal is a log, which others may read and which is kept.
  if (terminal.isWatched) {
    terminal.print();
    for (const line of exportLines(credentials)) terminal.print(line);
    terminal.print();
    terminal.print('Managers with an open account in Active Directory:');
    terminal.print(`  ${curlLine(credentials)}`);
    terminal.print();
  } else {
    terminal.print(`Environment lines and a first search: sh ${firstSteps}`);
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
