// cardea reindex: rebuilds the index of the configured backend from the store. It also moves an
// installation from one backend to the other.
// Invariant: an interrupted rebuild is continued; a complete index is rebuilt from scratch.
import type { Command } from 'commander';
import type { Offline } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import { addSettings, newCommand, readSettings } from './common/command-line.ts';
import { CommandError, type Context, UsageError } from './common/context.ts';
import { indexUpTo, withData } from './common/data.ts';
import { INTERRUPTED, Interrupted } from './common/stop-signal.ts';
import { grouped } from './common/terminal.ts';

/** The result, as printed by `--json`. */
interface Report {
  /** `embedded`, or the address of the OpenSearch without its credentials. */
  readonly backend: string;
  /** The change after which it continued; 0: rebuilt from scratch. */
  readonly from: number;
  /** The last change that is durable in the index. */
  readonly indexed: number;
  /** The store's last change. */
  readonly sequence: number;
  readonly whole: boolean;
  readonly seconds: number;
}

export function reindexCommand(context: Context): Command {
  const command = newCommand(
    'reindex',
    'Fill the search index from the store, embedded or OpenSearch',
  ).description(
    'Fill the search index from the store. It fills the backend of --search-url, so it also moves an installation from one backend to the other. An interrupted rebuild continues where it stopped. No server may be running.',
  );
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const report = await withData(config, context, (data) => rebuild(data, config, context));
    if (!report.whole) context.exitCode = INTERRUPTED;
    if (command.opts<{ json?: boolean }>().json === true) context.terminal.printJson(report);
    else printReport(report, context);
  });
}

async function rebuild(data: Offline, config: Config, context: Context): Promise<Report> {
  const { backend, indexer, store } = data;
  if (backend === null || indexer === null) {
    throw new UsageError([
      `Another process feeds the search index of ${config.dataDir}, most likely a server: stop it, then reindex.`,
    ]);
  }
  const { terminal, stop } = context;
  const began = context.now();
  const from = await startingPoint(backend);
  if (from > 0)
    terminal.note(`Continuing after change ${grouped(from)}, where it was interrupted.`);
  const sequence = await store.read.lastSequence();
  try {
    await indexUpTo(indexer, { from, sequence }, terminal, stop);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  await indexer.stop();
  const indexed = await backend.committedSequence();
  if (indexed < sequence && !stop.stopping) {
    throw new CommandError('The search index could not be committed; the log says why.');
  }
  return {
    backend: backendName(config),
    from,
    indexed,
    sequence,
    whole: indexed >= sequence,
    seconds: (context.now() - began) / 1000,
  };
}

/** The change to continue after; a complete index is cleared first. */
async function startingPoint(backend: SearchBackend): Promise<number> {
  if (!(await backend.rebuilding())) await backend.clear();
  return backend.committedSequence();
}

function backendName({ searchUrl }: Config): string {
  if (searchUrl === null) return 'embedded';
  const url = new URL(searchUrl);
  url.username = '';
  url.password = '';
  return url.href;
}

function printReport(
  { from, indexed, sequence, whole, seconds }: Report,
  { terminal }: Context,
): void {
  if (whole) {
    terminal.print(
      `The search index is complete: ${grouped(sequence - from)} changes in ${seconds.toFixed(1)} s.`,
    );
  } else {
    terminal.note(
      `Stopped on request after change ${grouped(indexed)} of ${grouped(sequence)}; the next reindex continues there.`,
    );
  }
}
