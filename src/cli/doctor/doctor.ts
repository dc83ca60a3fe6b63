// cardea doctor: checks the installation, one line per check; a fault gives exit code 1. --repair
// fixes what can be fixed, in the order of dependencies.
// Invariant: without --repair nothing is changed: the store is not migrated, a damaged index is not
// discarded, and a missing directory is not created.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { addSettings, newCommand, readSettings } from '../common/command-line.ts';
import { type Context, StartFault } from '../common/context.ts';
import { type Data, withData, withInspection } from '../common/data.ts';
import { sameData } from '../help/suggestion.ts';
import type { Check, CheckOptions } from './check.ts';
import { indexCheck } from './index-check.ts';
import {
  certificateCheck,
  coresCheck,
  credentialsCheck,
  directoryCheck,
  networkCheck,
  pathsCheck,
  permissionsCheck,
  secretsKeyCheck,
  spaceCheck,
} from './place-checks.ts';
import {
  auditCheck,
  auditDatabaseCheck,
  keyCheck,
  recordChecks,
  recordRepairs,
  tenantCheck,
} from './record-checks.ts';
import { earlierVersionCheck, fileRepair, schemaCheck, storeCheck } from './store-checks.ts';

export function doctorCommand(context: Context): Command {
  const command = newCommand('doctor', 'Check the data directory, the store and the search index');
  command.option('--repair', 'Repair what can be repaired');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { json, repair = false } = command.opts<{ json?: boolean; repair?: boolean }>();
    const checks = await runChecks({ config, repair, context });
    const ok = checks.every(({ status }) => status !== 'fault');
    if (json === true) {
      context.terminal.printJson({ ok, checks });
    } else {
      for (const { name, status, message } of checks) {
        context.terminal.print(`${status.padEnd(8)}${name.padEnd(16)}${message}`);
      }
    }
    if (!ok) context.exitCode = 1;
  });
}

async function runChecks(options: CheckOptions): Promise<Check[]> {
  const { config } = options;
  const directory = directoryCheck(config);
  const settings = [networkCheck(config), coresCheck(config), ...(await certificateCheck(config))];
  const before = [directory];
  if (directory.status === 'ok') {
    before.push(permissionsCheck(config, options), ...settings);
    const paths = await pathsCheck(config, options);
    before.push(...paths);
    // Every further check would fail for the same reason.
    if (paths.some(({ status }) => status === 'fault')) return before;
  } else before.push(...settings);
  const { lostStore } = await import('../../compose/store.ts');
  const { store } = config;
  const lost = lostStore(config);
  if (store.kind === 'sqlite' && lost === null && !existsSync(store.path)) {
    const create = `${sameData(config, 'cardea demo')} or ${sameData(config, 'cardea tenant create NAME')}`;
    const message = `${store.path} does not exist yet; ${create} creates it`;
    return [...before, { name: 'store', status: 'warning', message }];
  }
  if (directory.status === 'ok') {
    const credentials = credentialsCheck(config, options);
    const secretsKey = await secretsKeyCheck(config, options);
    before.push(await spaceCheck(config), credentials, ...secretsKey);
  }
  if (lost !== null) return [...before, { name: 'store', status: 'fault', message: lost }];
  try {
    const repaired = options.repair ? await fileRepair(options) : null;
    if (repaired?.status === 'fault') return [...before, repaired];
    // The opening, which follows, names a store that cannot be reached.
    const { check, keepsRows } = await schemaCheck(options).catch((error: Error) => {
      const failed: Check = { name: 'schema', status: 'fault', message: error.message };
      return { check: failed, keepsRows: false };
    });
    before.push(check);
    const earlier = options.repair ? null : await earlierVersionCheck(config);
    if (earlier !== null) return [...before, earlier];
    const withOpened = options.repair ? withData : withInspection;
    return [
      ...before,
      ...(await withOpened(config, options.context, (data) =>
        dataChecks(data, { ...options, keepsRows }, before, repaired),
      )),
    ];
  } catch (error) {
    const fault = error instanceof StartFault ? error.cause : error;
    return [...before, { name: 'store', status: 'fault', message: (fault as Error).message }];
  }
}

/**
 * @param before results of the checks that ran before the store was opened
 * @param repaired what was done to its file
 */
async function dataChecks(
  data: Data,
  options: CheckOptions,
  before: readonly Check[],
  repaired: Check | null,
): Promise<Check[]> {
  const store = await storeCheck(data, repaired);
  // No other check is meaningful on a damaged store.
  if (store.status === 'fault') return [store];
  const checks = [
    store,
    ...(await recordChecks(data, options)),
    await tenantCheck(data, options),
    await keyCheck(data, options),
    await auditDatabaseCheck(data, options),
  ];
  await recordRepairs(data, [...before, ...checks]);
  return [
    ...checks,
    await auditCheck(data, options),
    { name: 'lock', status: 'ok', message: holderOf(data) },
    await indexCheck(data, options),
  ];
}

/** Who has the index. */
function holderOf({ server, ownsIndex }: Data): string {
  if (server !== null) return `a server runs on this directory: process ${server.name.process}`;
  return ownsIndex ? 'no server runs on this directory' : 'another process has the search index';
}
