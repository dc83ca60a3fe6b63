// cardea backup and cardea restore: copy the store and verify the copy, or replace the store with
// it. A server may run during a backup but not during a restore.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupDescription, BackupWatch } from '../compose/store.ts';
import type { Config } from '../config/config.ts';
import { addSettings, newCommand, readSettings } from './common/command-line.ts';
import { type Context, StartFault, UsageError } from './common/context.ts';
import { damageSummary } from './common/damaged-documents.ts';
import { grouped, type Progress } from './common/terminal.ts';
import { sameData } from './help/suggestion.ts';

export function backupCommand(context: Context): Command {
  const command = newCommand(
    'backup',
    'Copy the store into a directory, and check the copy',
  ).description(
    'Copy the store into a directory, and check the copy. A server may be running. The search index is not copied: it is rebuilt from the store.',
  );
  command.argument('<directory>', 'Directory for the backup; must not contain one');
  command.option('--verify', 'Only check an existing backup');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (directory: string | undefined) => {
    const config = readSettings(command, context);
    const { verify, json } = command.opts<{ verify?: boolean; json?: boolean }>();
    const backupDir = directoryOf(directory);
    const { backUp, recordBackup, verifyBackup } = await import('../compose/store.ts');
    const { checkPlaces } = await import('../compose/data-paths.ts');
    const description = await withProgress(context, (watch) => {
      if (verify === true) return verifyBackup(backupDir, watch);
      const path = storeFile(
        config,
        'pg_dump --format=custom --file=cardea.dump "$CARDEA_STORE_URL"',
      );
      if (!existsSync(path)) throw new UsageError([`There is no store at ${path}.`]);
      checkPlaces(config, 'store');
      const { version, now } = context;
      return backUp({ path, directory: backupDir, version, now: now() }, watch);
    });
    if (verify !== true) {
      try {
        recordBackup(config.dataDir, backupDir, description);
      } catch (error) {
        const { message } = error as Error;
        context.terminal.note(`warning: metrics will not show this backup: ${message}`);
      }
    }
    noteDamage(context, description);
    if (json === true) context.terminal.printJson(description);
    else context.terminal.print(`${backupDir} is intact: ${summaryOf(description)}.`);
  });
}

export function restoreCommand(context: Context): Command {
  const command = newCommand('restore', 'Check a backup and replace the store with it').description(
    'Check a backup and replace the store with it. No server may be running. The search index is rebuilt at the next start.',
  );
  command.argument('<directory>', 'The backup');
  command.option('--replace', 'Move an existing store aside');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (directory: string | undefined) => {
    const config = readSettings(command, context);
    const { replace, json } = command.opts<{ replace?: boolean; json?: boolean }>();
    const backupDir = directoryOf(directory);
    const path = storeFile(
      config,
      'pg_restore --clean --if-exists --dbname="$CARDEA_STORE_URL" cardea.dump',
    );
    const { restoreBackup } = await import('../compose/store.ts');
    const { description, previousStore, faults } = await withProgress(context, (watch) =>
      restoreBackup(
        {
          directory: backupDir,
          path,
          indexDir: config.indexDir,
          now: context.now(),
          existing: replace === true ? 'moved aside' : 'refused',
        },
        watch,
      ),
    );
    const { terminal } = context;
    const { secretsKey } = config;
    if (secretsKey?.kind === 'file' && !existsSync(secretsKey.path)) {
      terminal.note(
        `${secretsKey.path} is missing: copy the secrets key of the service that was backed up there, or run ${sameData(config, 'cardea keys rotate')}.`,
      );
    }
    for (const fault of faults) terminal.note(`warning: ${fault}`);
    noteDamage(context, description);
    if (json === true) {
      terminal.printJson({ ...description, store: path, previousStore, faults });
      return;
    }
    terminal.print(`${path} is restored: ${summaryOf(description)}.`);
    if (previousStore !== null) terminal.print(`The previous store is now ${previousStore}.`);
  });
}

function directoryOf(directory: string | undefined): string {
  if (directory === undefined || directory === '')
    throw new UsageError(['The directory is missing.']);
  return resolve(directory);
}

/** Returns the path of the store. @throws UsageError if it is in a database with its own tools */
function storeFile({ store }: Config, instead: string): string {
  if (store.kind === 'sqlite') return store.path;
  throw new UsageError([`The store is in PostgreSQL; use its own tools: ${instead}`]);
}

/** Runs `work` with a progress bar for each of its steps; Ctrl-C ends it. */
async function withProgress<T>(
  { terminal, stop }: Context,
  work: (watch: BackupWatch) => Promise<T>,
): Promise<T> {
  let step = '';
  const bars: Progress[] = [];
  try {
    return await work({
      progress(name, done, total) {
        stop.check();
        if (name !== step) {
          bars.pop()?.end();
          step = name;
          bars.push(terminal.progress(name, total, 'bytes'));
        }
        bars.at(-1)?.update(done);
      },
    });
  } catch (error) {
    // Before its first step, what was wrong was named on the command line.
    throw step === '' ? new StartFault(error) : error;
  } finally {
    bars.pop()?.end();
  }
}

/** Damaged documents do not keep the others from being copied, but the operator must know. */
function noteDamage({ terminal }: Context, { damage }: BackupDescription): void {
  if (damage.count === 0) return;
  const help = 'they are copied as they are and never served: see cardea doctor';
  terminal.note(`warning: ${damageSummary(damage)}; ${help}`);
}

function summaryOf({ tenants, documents, sequence, bytes, created }: BackupDescription): string {
  return `${grouped(documents)} documents of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}, last change ${grouped(sequence)}, ${grouped(bytes)} bytes, created ${created}`;
}
