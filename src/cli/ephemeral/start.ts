// cardea start --ephemeral: a throw-away tenant for tests, on a free port and in a temporary
// directory.
// Invariant: it never touches data outside that directory, which is removed at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import { IDENTITIES_MOST, PROFILES_MOST } from '../../demo/sizes.ts';
import { SETTINGS, type SettingKey } from '../../settings.ts';
import { addFlag, addSettings, integer, newCommand, readSettings } from '../command-line.ts';
import { type Context, UsageError } from '../context.ts';
import { commandLog } from '../data.ts';
import { exportLines } from '../demo/credentials.ts';
import { withService } from '../serve.ts';
import { grouped } from '../terminal.ts';
import type { TestTenant, TestTenantRequest } from './test-tenant.ts';

const SEED_DEFAULT = 1;
/** Enough for one person in each role of the company, and created in a tenth of a second. */
const IDENTITIES_DEFAULT = 50;

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
  readonly ephemeral?: true;
  readonly printEnv?: true;
  readonly identities?: number;
  readonly profiles?: number;
  readonly seed?: number;
}

export function startCommand(context: Context): Command {
  const command = newCommand('start', 'Serve a throw-away tenant for tests')
    .option('--ephemeral', 'Keep everything in a temporary directory, and remove it at the end')
    .option('--print-env', 'Print one line of JSON when ready: address, credentials, environment');
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
  addFlag(
    command,
    '--seed <number>',
    `Seed of the random company [default: ${SEED_DEFAULT}]`,
    integer(0, 2 ** 31 - 1),
  );
  const keys = (Object.keys(SETTINGS) as SettingKey[]).filter((key) => !LASTING.includes(key));
  addSettings(command, keys);
  return command.action(() => start(command, context));
}

async function start(command: Command, context: Context): Promise<void> {
  const flags = command.opts<Flags>();
  const directory = mkdtempSync(join(tmpdir(), 'cardea-ephemeral-'));
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
  const { terminal, stop, version } = context;
  await withService(config, { log: commandLog(config), version }, async (service) => {
    const { createTestTenant } = await import('./test-tenant.ts');
    const { url } = await service.start();
    const request = requestOf(flags, context);
    const tenant = await createTestTenant(service, request, config.baseUrl ?? url, context);
    if (flags.printEnv) terminal.printJson(lineOf(tenant));
    else printStart(tenant, request, context);
    await stop.wait();
  });
}

function requestOf(flags: Flags, { now }: Pick<Context, 'now'>): TestTenantRequest {
  return {
    name: 'test',
    seed: flags.seed ?? SEED_DEFAULT,
    identities: flags.identities ?? IDENTITIES_DEFAULT,
    profiles: flags.profiles ?? 0,
    date: `${new Date(now()).toISOString().slice(0, 10)}T00:00:00.000Z`,
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
