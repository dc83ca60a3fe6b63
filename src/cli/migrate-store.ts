// cardea migrate-store: copies the SQLite store of a data directory into a PostgreSQL database.
import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { parseConfig } from '../config/config.ts';
import { addFlag, addSettings, newCommand, readSettings } from './common/command-line.ts';
import { type Context, StartFault, UsageError } from './common/context.ts';
import { grouped, type Progress } from './common/terminal.ts';

export function migrateStoreCommand(context: Context): Command {
  const command = newCommand('migrate-store', 'Copy the SQLite store into a PostgreSQL database');
  addFlag(
    command,
    '--to <url>',
    'Address of an empty database, or of one that an earlier run has partly filled',
    postgresAddress,
  );
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { to, json } = command.opts<{ to?: string; json?: boolean }>();
    if (to === undefined) throw new UsageError(['--to is missing.']);
    const { store } = config;
    if (store.kind !== 'sqlite')
      throw new UsageError(['CARDEA_STORE_URL must name the SQLite file.']);
    if (!existsSync(store.path)) throw new UsageError([`${store.path} does not exist.`]);
    const target = parseConfig({ CARDEA_STORE_URL: to }).store;
    const { terminal, stop } = context;
    const { copyStore } = await import('../compose/store.ts');
    let currentBar: { readonly step: string; readonly progress: Progress } | null = null;
    try {
      const report = await copyStore(config, target, {
        progress(step, done, total) {
          stop.check();
          if (currentBar?.step !== step) {
            currentBar?.progress.end();
            currentBar = { step, progress: terminal.progress(step, total, 'rows') };
          }
          currentBar.progress.update(done);
        },
      });
      currentBar = endProgress(currentBar);
      if (json === true) terminal.printJson(report);
      else {
        terminal.print(
          `${grouped(report.rows)} rows of ${report.tables} tables are in PostgreSQL and equal, ${grouped(report.alreadyCopied)} of them from an earlier run.`,
        );
        terminal.print('Set CARDEA_STORE_URL to use it; the SQLite file is unchanged.');
      }
    } catch (error) {
      // Without a row that was copied, it has not begun.
      throw currentBar === null ? new StartFault(error) : error;
    } finally {
      endProgress(currentBar);
    }
  });
}

function endProgress(currentBar: { readonly progress: Progress } | null): null {
  currentBar?.progress.end();
  return null;
}

function postgresAddress(text: string): string {
  if (/^postgres(ql)?:\/\/[^/]+\/[^/]+$/i.test(text)) return text;
  throw new InvalidArgumentError('must be like postgres://user:password@127.0.0.1:5432/cardea.');
}
