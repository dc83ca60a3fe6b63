// cardea start --ephemeral: a throw-away tenant for tests, on a free port and in a temporary
// directory.
// Invariant: it never touches data outside that directory, which is removed at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Cardea } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import { SETTINGS, type SettingKey } from '../../config/settings/settings.ts';
import { IDENTITIES_MOST, PROFILES_MOST, SEED_DEFAULT } from '../../demo/sizes.ts';
import { addFlag, addSettings, integer, newCommand, readSettings } from '../common/command-line.ts';
import { commandLog } from '../common/command-log.ts';
import { type Channel, type Context, opening, UsageError } from '../common/context.ts';
import { withService } from '../common/serve.ts';
import { grouped } from '../common/terminal.ts';
import { exportLines } from '../demo/credentials.ts';
import { addSeedFlag } from '../demo/seed-flag.ts';
import { takeOrders } from './orders.ts';
import type { TestTenant } from './test-tenant.ts';
import {
  IDENTITIES_DEFAULT,
  identitiesByDefault,
  startOfDay,
  type TestTenantRequest,
} from './test-tenant-request.ts';

/** Settings of data that outlive the process, which a throw-away tenant must not touch. */
const LASTING: readonly SettingKey[] = [
  'dataDir',
  'storeUrl',
  'secretsKey',
  'secretsKeyFile',
  'searchUrl',
  'searchPrefix',
  'redisUrl',
  'auditFile',
  'auditUrl',
  'auditAuthorization',
];

interface Flags {
  readonly controlled?: true;
  readonly ephemeral?: true;
  readonly printEnv?: true;
  readonly identities?: number;
  readonly profiles?: number;
  readonly seed?: number;
  readonly fixture?: string;
}

export function startCommand(context: Context): Command {
  const command = newCommand('start', 'Serve a throw-away tenant for tests')
    .option('--ephemeral', 'Keep everything in a temporary directory, and remove it at the end')
    .option('--print-env', 'Print one line of JSON when ready: address, credentials, environment')
    .addOption(new Option('--controlled', 'Take orders from the parent process').hideHelp());
  addFlag(
    command,
    '--identities <number>',
    `Number of identities of the company; 0 for an empty tenant [default: ${IDENTITIES_DEFAULT}]`,
    integer(0, IDENTITIES_MOST),
  );
  addFlag(
    command,
    '--profiles <number>',
    'Number of profiles in profile management [default: 0]',
    integer(0, PROFILES_MOST),
  );
  addSeedFlag(command);
  command.option(
    '--fixture <file>',
    'A small company of your own, YAML or JSON: see docs/testing.md. No other one is generated then',
  );
  const keys = (Object.keys(SETTINGS) as SettingKey[]).filter((key) => !LASTING.includes(key));
  addSettings(command, keys);
  return command.action(() => start(command, context));
}

async function start(command: Command, context: Context): Promise<void> {
  const flags = command.opts<Flags>();
  const directory = mkdtempSync(join(context.env['TMPDIR'] || tmpdir(), 'cardea-ephemeral-'));
  try {
    const config = ephemeralSettings(command, context, directory);
    await serve(config, flags, context);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @throws UsageError, also without `--ephemeral` */
function ephemeralSettings(command: Command, context: Context, directory: string): Config {
  const lasting = LASTING.map((key) => SETTINGS[key].env);
  const env = Object.entries(context.env).filter(([name]) => !lasting.includes(name));
  const settings = {
    ...Object.fromEntries(env),
    CARDEA_DATA_DIR: directory,
    CARDEA_TESTING: 'on',
    CARDEA_PORT: context.env['CARDEA_PORT'] || '0',
  };
  const config = readSettings(command, { ...context, env: settings });
  if (command.opts<Flags>().ephemeral !== true) {
    throw new UsageError([
      'cardea start serves a throw-away tenant: add --ephemeral. To keep the data, use cardea demo or cardea serve.',
    ]);
  }
  const { store } = config;
  return store.kind === 'sqlite' ? { ...config, store: { ...store, durable: false } } : config;
}

async function serve(config: Config, flags: Flags, context: Context): Promise<void> {
  const { stop, version, channel } = context;
  // Loaded while the service starts.
  const loading = Promise.all([import('./test-tenant.ts'), import('./test-orders.ts')]);
  // That it has the powers for tests needs no warning here.
  const logLevel = config.logLevel === 'info' ? 'error' : config.logLevel;
  const log = commandLog({ logLevel }, context.terminal);
  await withService(config, { log, version }, async (service) => {
    const { url } = await service.start();
    const baseUrl = config.baseUrl ?? url;
    await loading;
    if (flags.controlled && channel) await obey(channel, service, baseUrl, context);
    else {
      await serveOne(service, flags, baseUrl, context);
      await stop.wait();
    }
  });
}

/** Serves one tenant, and prints how to reach it. */
async function serveOne(
  service: Cardea,
  flags: Flags,
  baseUrl: string,
  context: Context,
): Promise<void> {
  const { createTestTenant } = await import('./test-tenant.ts');
  const now = Date.parse(service.testPowers?.clock().now ?? '');
  const request = requestOf(flags, now);
  const tenant = await opening(() => createTestTenant(service, request, baseUrl, context));
  for (const effect of service.testPowers?.effects ?? []) context.terminal.note(effect);
  if (flags.printEnv) context.terminal.printJson(lineOf(tenant));
  else printStart(tenant, request, context);
}

/** Takes orders until a signal arrives or the parent process ends. */
async function obey(
  channel: Channel,
  service: Cardea,
  baseUrl: string,
  context: Context,
): Promise<void> {
  const { testOrders } = await import('./test-orders.ts');
  const closed = new Promise<void>((resolve) => channel.onClosed(resolve));
  takeOrders(channel, testOrders(service, baseUrl, context));
  channel.send({ ready: { baseUrl } });
  await Promise.race([closed, context.stop.wait()]);
  channel.close();
}

/** @param now epoch milliseconds: the company is as of that day */
function requestOf(flags: Flags, now: number): TestTenantRequest {
  return {
    name: 'test',
    seed: flags.seed ?? SEED_DEFAULT,
    identities: flags.identities ?? identitiesByDefault(flags.fixture),
    profiles: flags.profiles ?? 0,
    date: startOfDay(now),
    ...(flags.fixture !== undefined && { fixture: flags.fixture }),
  };
}

/** The line of `--print-env`. */
function lineOf({ baseUrl, credentials, env }: TestTenant): object {
  return { baseUrl, credentials, env, pid: process.pid };
}

function printStart(
  { baseUrl, credentials }: TestTenant,
  { identities, seed }: TestTenantRequest,
  { terminal }: Pick<Context, 'terminal'>,
): void {
  terminal.print(
    `A throw-away tenant (${grouped(identities)} identities, seed ${seed}) is served at ${baseUrl}`,
  );
  terminal.print();
  for (const line of exportLines({ baseUrl, ...credentials })) terminal.print(line);
  terminal.print();
  terminal.print('Ctrl-C stops it and removes its data.');
}
