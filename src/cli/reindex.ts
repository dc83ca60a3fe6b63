// cardea reindex: fill the index of the backend that is set from the store, which is the truth. So it also carries an
// installation from one backend to the other: each is filled when it is its turn, and neither needs the other.
// Invariant: what is already fed of a rebuild that broke off is not fed again; a whole index is built anew.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Offline } from '../compose.ts';
import type { Config } from '../config.ts';
import type { SearchBackend } from '../identity/ports/search-backend.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import { CommandError, type Context } from './context.ts';
import { indexUpTo, withData } from './data.ts';
import { INTERRUPTED, Interrupted } from './stop-signal.ts';
import { grouped } from './terminal.ts';

/** What was done, as `--json` tells it. */
interface Report {
  /** `embedded`, or the address of the OpenSearch without its credentials. */
  readonly backend: string;
  /** The change it went on after; 0: all was built anew. */
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
    'Fill the search index from the store: that of --search-url, so that it also moves an installation from one backend to the other. One that was broken off goes on where it was. No server may run.',
  );
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { store } = config;
    if (store.kind === 'sqlite' && !existsSync(store.path)) {
      throw new CommandError(`There is no store at ${store.path}.`);
    }
    const report = await withData(config, (data) => rebuild(data, config, context));
    if (!report.whole) context.exitCode = INTERRUPTED;
    if (command.opts<{ json?: boolean }>().json === true) context.terminal.printJson(report);
    else tell(report, context);
  });
}

async function rebuild(data: Offline, config: Config, context: Context): Promise<Report> {
  const { backend, indexer, store } = data;
  if (backend === null || indexer === null) {
    throw new CommandError(
      `Another process feeds the search index of ${config.dataDir}, most likely a server: stop it, then reindex.`,
    );
  }
  const { terminal, stop } = context;
  const began = context.now();
  const from = await startingPoint(backend);
  if (from > 0) terminal.note(`Going on after change ${grouped(from)}, where it was broken off.`);
  const sequence = await store.read.lastSequence();
  try {
    await indexUpTo(indexer, { from, sequence }, terminal, stop);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  await indexer.stop();
  const indexed = await backend.committedSequence();
  if (indexed < sequence && !stop.stopping) {
    throw new CommandError('The search index could not be made durable; the log says why.');
  }
  return {
    backend: backendName(config),
    ...{ from, indexed, sequence, whole: indexed >= sequence },
    seconds: (context.now() - began) / 1000,
  };
}

/** The change to go on after: an index that is whole is forgotten first. */
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

function tell({ from, indexed, sequence, whole, seconds }: Report, { terminal }: Context): void {
  if (whole) {
    terminal.print(
      `The search index is whole again: ${grouped(sequence - from)} changes in ${seconds.toFixed(1)} s.`,
    );
  } else {
    terminal.note(
      `Stopped on request after change ${grouped(indexed)} of ${grouped(sequence)}; the next reindex goes on there.`,
    );
  }
}
