// cardea backup and cardea restore: a copy of the store that was checked, and the way back. A server may run while one is
// made, and must not while one is restored.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupDescription, BackupWatch } from '../compose.ts';
import type { Config } from '../config.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import { CommandError, type Context, UsageError } from './context.ts';
import { grouped, type Progress } from './terminal.ts';

export function backupCommand(context: Context): Command {
  const command = newCommand(
    'backup',
    'Copy the store into a directory, and check the copy',
  ).description(
    'Copy the store into a directory, and check the copy. A server may run meanwhile. The search index is not copied: it is built again from the store.',
  );
  command.argument('<directory>', 'Where the backup goes; must not hold one');
  command.option('--verify', 'Only check the backup that is there');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (directory: string | undefined) => {
    const config = readSettings(command, context);
    const { verify, json } = command.opts<{ verify?: boolean; json?: boolean }>();
    const at = directoryOf(directory);
    const { backUp, verifyBackup } = await import('../compose.ts');
    const description = await watched(context, (watch) => {
      if (verify === true) return verifyBackup(at, watch);
      const path = storeFile(
        config,
        'pg_dump --format=custom --file=cardea.dump "$CARDEA_STORE_URL"',
      );
      if (!existsSync(path)) throw new CommandError(`There is no store at ${path}.`);
      const { version, now } = context;
      return backUp({ path, directory: at, version, now: now() }, watch);
    });
    if (json === true) context.terminal.printJson(description);
    else context.terminal.print(`${at} is whole: ${told(description)}.`);
  });
}

export function restoreCommand(context: Context): Command {
  const command = newCommand(
    'restore',
    'Check a backup and put it in the place of the store',
  ).description(
    'Check a backup and put it in the place of the store. No server may run. The search index is built again at the next start.',
  );
  command.argument('<directory>', 'The backup');
  command.option('--replace', 'Move a store that is there aside');
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (directory: string | undefined) => {
    const config = readSettings(command, context);
    const { replace, json } = command.opts<{ replace?: boolean; json?: boolean }>();
    const at = directoryOf(directory);
    const path = storeFile(
      config,
      'pg_restore --clean --if-exists --dbname="$CARDEA_STORE_URL" cardea.dump',
    );
    const { restoreBackup } = await import('../compose.ts');
    const { description, aside } = await watched(context, (watch) =>
      restoreBackup(
        {
          ...{ directory: at, path, indexDir: config.indexDir, now: context.now() },
          existing: replace === true ? 'moved aside' : 'refused',
        },
        watch,
      ),
    );
    const { terminal } = context;
    const { secretsKey } = config;
    if (secretsKey?.kind === 'file' && !existsSync(secretsKey.path)) {
      terminal.note(
        `${secretsKey.path} is not there: put the secrets key of the service that was backed up in its place, or run cardea keys rotate.`,
      );
    }
    if (json === true) {
      terminal.printJson({ ...description, store: path, aside });
      return;
    }
    terminal.print(`${path} is restored: ${told(description)}.`);
    if (aside !== null) terminal.print(`The store of before is ${aside}.`);
  });
}

function directoryOf(directory: string | undefined): string {
  if (directory === undefined || directory === '')
    throw new UsageError(['The directory is missing.']);
  return resolve(directory);
}

/** @throws CommandError where the store is in a database that has better ways */
function storeFile({ store }: Config, instead: string): string {
  if (store.kind === 'sqlite') return store.path;
  throw new CommandError(`The store is in PostgreSQL, which has its own way: ${instead}`);
}

/** Runs `work` with a bar for each of its steps; ctrl-C ends it. */
async function watched<T>(
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
  } finally {
    bars.pop()?.end();
  }
}

function told({ tenants, documents, sequence, bytes, created }: BackupDescription): string {
  return `${grouped(documents)} documents of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}, last change ${grouped(sequence)}, ${grouped(bytes)} bytes, made ${created}`;
}
