// cardea serve: the service over HTTP until it is asked to stop.
import type { Command } from 'commander';
import type { Logger } from 'pino';
import type { Cardea } from '../compose.ts';
import type { Config } from '../config.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import type { Context } from './context.ts';

export function serveCommand(context: Context): Command {
  const command = newCommand('serve', 'Serve the tenants of the data directory over HTTP');
  addSettings(command, 'all');
  return command.action(async () => {
    const config = readSettings(command, context);
    await withService(config, undefined, async (service) => {
      const { url } = await service.start();
      context.terminal.note(`Cardea serves at ${url} from ${config.dataDir}; ctrl-C stops it.`);
      if ((await service.store.read.tenants()).length === 0) {
        context.terminal.note('There is no tenant yet: cardea tenant create NAME makes one.');
      }
      await context.stop.wait();
      context.terminal.note('Stopping.');
    });
  });
}

/**
 * Composes the service, runs `work` and stops it, whatever comes.
 * @param log where log lines go; standard output when undefined
 */
export async function withService<T>(
  config: Config,
  log: Logger | undefined,
  work: (service: Cardea) => Promise<T>,
): Promise<T> {
  const { compose } = await import('../compose.ts');
  const service = await compose(config, log === undefined ? {} : { log });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}
