// cardea reindex: rebuilds the index of the configured backend from the store. It also moves an
// installation from one backend to the other.
// Invariant: an interrupted rebuild is continued; a complete index is rebuilt from scratch.
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { searchName } from '../config/search-name.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import { addSettings, newCommand, readSettings } from './common/command-line.ts';
import { CommandError, type Context, UsageError } from './common/context.ts';
import { type Data, indexUpTo, withData } from './common/data.ts';
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
    'Fill the search index from the store. It fills the backend of --search-url, so it also moves an installation from one backend to the other. An interrupted rebuild continues where it stopped. A server that runs fills its own index; it answers searches with 503 until that is whole.',
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

async function rebuild(data: Data, config: Config, context: Context): Promise<Report> {
  const { server, backend: index, indexer, store } = data;
  const backend = searchName(config);
  const { terminal, stop } = context;
  const began = context.now();
  if (server !== null) {
    const { search } = server.name;
    if (search !== backend) {
      throw new UsageError([
        `The search backend of the server on ${config.dataDir} is ${search}, and that of these settings is ${backend}: stop the server first, or set CARDEA_SEARCH_URL as it has it.`,
      ]);
    }
    const { sequence } = await server.refillIndex();
    const seconds = (context.now() - began) / 1000;
    return { backend, from: 0, indexed: sequence, sequence, whole: true, seconds };
  }
  if (index === null || indexer === null) {
    throw new UsageError([
      `Another process feeds the search index of ${config.dataDir}, such as an import, or a server that starts or stops: try again when it has ended or serves.`,
    ]);
  }
  const from = await startingPoint(index);
  if (from > 0)
    terminal.note(`Continuing after change ${grouped(from)}, where it was interrupted.`);
  const sequence = await store.read.lastSequence();
  try {
    await indexUpTo(indexer, { from, sequence }, terminal, stop);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  await indexer.stop();
  const indexed = await index.committedSequence();
  if (indexed < sequence && !stop.stopping) {
    throw new CommandError('The search index could not be committed; the log says why.');
  }
  return {
    backend,
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
