// A worker thread of the embedded index: builds and merges segments, one job at a time, so that neither holds the
// event loop that answers searches. What it builds goes back in memory; what it merges is read from files and written to
// files, so that a merge of any size takes the memory of its largest field.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import type { SegmentView } from '../../engine/index/segment.ts';
import { writeMerged } from '../../engine/index/segment-merger.ts';
import { openSegment } from '../../engine/index/segment-reader.ts';
import { buildSegment } from '../../engine/index/segment-writer.ts';
import {
  type BuildJob,
  type BuildReply,
  type Built,
  type MergePart,
  unpackDocuments,
} from './build-job.ts';
import { FileSink } from './file-sink.ts';
import { checksum } from './fs-directory.ts';
import { MergedIndex } from './segment-index.ts';
import { SegmentSources } from './segment-sources.ts';

/** Rows of a part are read in their order. */
const READ_AHEAD_BYTES = 256 * 1024;

/** Does a job. */
export function runJob(job: BuildJob): Built {
  return job.kind === 'build'
    ? buildSegment(job.name, job.mapping, unpackDocuments(job.documents), { checksum })
    : merge(job);
}

function merge({ mapping, parts, paths }: BuildJob & { kind: 'merge' }): Built {
  const opened: { close(): void }[] = [];
  const closing = <Closeable extends { close(): void }>(one: Closeable): Closeable => {
    opened.push(one);
    return one;
  };
  try {
    const views = parts.map((part) => viewOf(part, closing));
    const index = closing(new FileSink(paths.index));
    const sources = closing(new FileSink(paths.sources));
    writeMerged(mapping, views, { index, sources }, { checksum });
    index.sync();
    sources.sync();
    return { sourcesBytes: sources.length };
  } finally {
    for (const one of opened) one.close();
  }
}

function viewOf(
  { name, index, sources, liveDocs, liveCount }: MergePart,
  closing: <Closeable extends { close(): void }>(one: Closeable) => Closeable,
): SegmentView {
  const reader = new SegmentSources(name, sources, READ_AHEAD_BYTES);
  closing({ close: () => reader.release() });
  const segment = openSegment(name, closing(new MergedIndex(name, index)), reader, { checksum });
  return { segment, liveDocs, liveCount };
}

function serve(port: MessagePort): void {
  port.on('message', ({ id, job }: { id: number; job: BuildJob }) => {
    let reply: BuildReply;
    try {
      reply = { id, built: runJob(job) };
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      reply = { id, fault, corrupt: error instanceof CorruptSegmentError ? error.segment : null };
    }
    port.postMessage(reply);
  });
}

if (parentPort !== null) serve(parentPort);
