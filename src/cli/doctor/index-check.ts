// The check of the search index: every byte of it, and whether its documents are those of the store.
import { ServiceError } from '../../errors.ts';
import {
  compareIndex,
  type IndexComparison,
  readIndex,
} from '../../service/searching/index-comparison.ts';
import { CommandError } from '../common/context.ts';
import { type Data, indexUpTo } from '../common/data.ts';
import type { LocalServer } from '../common/local-server.ts';
import { grouped, type Progress } from '../common/terminal.ts';
import { sameData } from '../help/suggestion.ts';
import type { Check, CheckOptions } from './check.ts';

function remedyOf({ config }: CheckOptions): string {
  return `--repair or ${sameData(config, 'cardea reindex')} rebuilds it`;
}

/** Checks the index: its server does, if there is one. */
export async function indexCheck(data: Data, options: CheckOptions): Promise<Check> {
  const name = 'search index';
  const { server, backend, ownsIndex } = data;
  if (server !== null) return servedCheck(server, options);
  if (backend === null && ownsIndex) {
    return { name, status: 'warning', message: 'there is none yet; the next start builds it' };
  }
  if (backend === null) {
    const message = 'not checked: another process has it, such as a server that starts or stops';
    return { name, status: 'warning', message };
  }
  try {
    return await contentCheck(data, options);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = (error.details.causes ?? [error.message]).join('; ');
    if (options.repair) return feed(data, options, 'continued', message);
    return {
      name,
      status: 'fault',
      message: `${message.replace(/\.$/, '')}: ${remedyOf(options)}`,
    };
  }
}

/**
 * Reads the whole index, and compares it with the store if it is up to date.
 * @throws ServiceError `unavailable` for a damaged index
 */
async function contentCheck(data: Data, options: CheckOptions): Promise<Check> {
  const name = 'search index';
  const { backend, store } = data;
  if (backend === null) throw new Error('the index is locked by another process');
  const reason = await backend.unreadyReason();
  const [done, last] = [await backend.committedSequence(), await store.read.lastSequence()];
  if (done > last) {
    const message = `at ${grouped(done)}, past the store's ${grouped(last)}`;
    if (options.repair) return feed(data, options, 'from scratch', message);
    return { name, status: 'fault', message: `${message}: ${remedyOf(options)}` };
  }
  await backend.verify?.();
  if (reason !== null || done < last) {
    // Part of an index that is being rebuilt cannot be read.
    if (reason === null) await withProgressBar(options, (step) => readIndex(store, backend, step));
    const message =
      reason === null
        ? `${grouped(last - done)} changes behind`
        : `incomplete, built up to change ${grouped(done)} of ${grouped(last)}`;
    if (options.repair) return feed(data, options, 'continued', message);
    return { name, status: 'warning', message: `${message}; the next start catches up` };
  }
  const comparison = await withProgressBar(options, (step) => compareIndex(store, backend, step));
  return comparedCheck(comparison, last, options, (message) =>
    feed(data, options, 'from scratch', message),
  );
}

/** @param mend fills the index again */
function comparedCheck(
  { documents, differences }: IndexComparison,
  last: number,
  options: CheckOptions,
  mend: (message: string) => Promise<Check>,
): Promise<Check> | Check {
  const name = 'search index';
  if (differences.length === 0) {
    const message = `up to date with the store (${grouped(last)}), ${grouped(documents)} documents equal`;
    return { name, status: 'ok', message };
  }
  const summaries = differences.map(
    ({ tenant, index, missing, surplus, different }) =>
      `${index} of ${tenant}: ${grouped(missing)} missing, ${grouped(surplus)} too many, ${grouped(different)} different`,
  );
  if (options.repair) return mend(summaries.join('; '));
  return { name, status: 'fault', message: `${summaries.join('; ')}: ${remedyOf(options)}` };
}

/** What the server says of its index, which it mends itself where it finds damage. */
async function servedCheck(server: LocalServer, options: CheckOptions): Promise<Check> {
  const name = 'search index';
  try {
    const found = await server.checkIndex();
    if (found.unready !== null) return { name, status: 'warning', message: found.unready };
    const { comparison, sequence } = found;
    if (comparison === null) {
      const message =
        'every byte is as it was written; the documents change too fast to be compared';
      return { name, status: 'ok', message };
    }
    return await comparedCheck(comparison, sequence, options, async (message) => {
      await server.refillIndex();
      const { status } = await servedCheck(server, { ...options, repair: false });
      const still = `${message}; it was fed again and still differs`;
      return status === 'fault'
        ? { name, status, message: still }
        : { name, status: 'mended', message };
    });
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof ServiceError)) throw error;
    return { name, status: 'fault', message: error.message };
  }
}

/** Runs `work` with a progress bar; a stop signal ends it. */
async function withProgressBar<T>(
  { context }: CheckOptions,
  work: (step: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bars: Progress[] = [];
  try {
    return await work((done, total) => {
      context.stop.check();
      if (bars.length === 0) bars.push(context.terminal.progress('Comparing', total, 'documents'));
      bars[0]?.update(done);
    });
  } finally {
    bars[0]?.end();
  }
}

/**
 * Feeds the index up to the last change, and compares it again: once from scratch if it still differs,
 * as it may have a document that is not in the store.
 */
async function feed(
  data: Data,
  { context }: CheckOptions,
  how: 'from scratch' | 'continued',
  message: string,
): Promise<Check> {
  const name = 'search index';
  const { backend, indexer, store } = data;
  if (backend === null || indexer === null)
    throw new Error('the index is locked by another process');
  for (const next of how === 'continued' ? [how, 'from scratch'] : [how]) {
    if (next === 'from scratch') await backend.clear();
    // A backend that has lost its state fails one call before it accepts changes again.
    await backend.refresh().catch(() => {});
    const from = await backend.committedSequence();
    const sequence = await store.read.lastSequence();
    await indexUpTo(indexer, { from, sequence }, context.terminal, context.stop);
    await indexer.stop();
    const { differences } = await compareIndex(store, backend, () => {});
    if (differences.length === 0) return { name, status: 'mended', message };
  }
  return { name, status: 'fault', message: `${message}; it was fed again and still differs` };
}
