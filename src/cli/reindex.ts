// cardea reindex: forget the search index and build it again from the store, which is the truth.
import type { Command } from 'commander';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import { CommandError, type Context } from './context.ts';
import { indexUpTo, withData } from './data.ts';
import { grouped } from './terminal.ts';

export function reindexCommand(context: Context): Command {
  const command = newCommand('reindex', 'Build the search index anew from the store');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const { terminal, stop } = context;
    await withData(config, async (data) => {
      const { backend, indexer, store } = data;
      if (backend === null || indexer === null) {
        throw new CommandError('A server holds the search index: stop it, then reindex.');
      }
      const began = context.now();
      await backend.clear();
      const sequence = await store.read.lastSequence();
      await indexUpTo(indexer, { from: 0, sequence }, terminal, stop);
      const seconds = ((context.now() - began) / 1000).toFixed(1);
      terminal.print(
        `The search index is whole again: ${grouped(sequence)} changes in ${seconds} s.`,
      );
    });
  });
}
