// cardea serve: serves HTTP until a stop signal.
import type { Command } from 'commander';
import type { Cardea, ComposeOptions } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import { pageLines } from '../help/start-pages.ts';
import { sameData } from '../help/suggestion.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import { CommandError, type Context, opening } from './context.ts';
import { loadService } from './load-service.ts';
import { optimiseSooner } from './optimise-sooner.ts';

export function serveCommand(context: Context): Command {
  const command = newCommand('serve', 'Serve the tenants of the data directory over HTTP');
  addNewFlag(command);
  addSettings(command, 'all');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { version } = context;
    const { new: newStore = false } = command.opts<NewFlag>();
    await withService(config, { version, newStore }, async (service) => {
      const { url, metricsUrl } = await service.start();
      optimiseSooner();
      context.terminal.note(
        `Cardea serves at ${url} from ${config.dataDir}, listening on ${config.host}; Ctrl-C stops it.`,
      );
      for (const line of pageLines(config, url)) context.terminal.note(line);
      if (metricsUrl !== null) context.terminal.note(`Metrics are at ${metricsUrl}.`);
      if ((await service.store.read.tenants()).length === 0) {
        const command = sameData(config, 'cardea tenant create NAME');
        context.terminal.note(`There is no tenant yet: create one with ${command}.`);
      }
      await context.stop.wait();
      context.terminal.note('Stopping.');
    });
  });
}

export interface NewFlag {
  readonly new?: boolean;
}

/** Adds the flag to begin anew in a data directory whose store was lost. */
export function addNewFlag(command: Command): void {
  command.option(
    '--new',
    'If the store is missing or empty, begin with an empty one and discard the search index that is left',
  );
}

/**
 * Composes the service, runs `work` and always stops the service.
 * @throws StartFault if it cannot be composed or started; CommandError if it cannot go on
 */
export async function withService<T>(
  config: Config,
  options: ComposeOptions,
  work: (service: Cardea) => Promise<T>,
): Promise<T> {
  const { compose } = await loadService(config);
  const service = await opening(() => compose(config, { threads: config.threads, ...options }));
  try {
    const failed = service.failed.then(({ message }) => {
      throw new CommandError(message);
    });
    return await Promise.race([
      work({ ...service, start: () => opening(() => service.start()) }),
      failed,
    ]);
  } finally {
    await service.stop();
    // Nothing is left to do, and an exit would wait for a thread that does not run, or abort.
    if (service.threads.hung > 0) process.kill(process.pid, 'SIGKILL');
  }
}
