// A worker thread of the embedded index: builds and merges segments, one job at a time, so that neither holds the
// event loop that answers searches. It touches no file but the sources of the segments it merges.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import type { SegmentView } from '../../engine/index/segment.ts';
import { mergeSegments } from '../../engine/index/segment-merger.ts';
import { openSegment } from '../../engine/index/segment-reader.ts';
import { buildSegment, type SegmentFiles } from '../../engine/index/segment-writer.ts';
import { type BuildJob, type BuildReply, type MergePart, unpackDocuments } from './build-job.ts';
import { checksum } from './fs-directory.ts';
import { SegmentSources } from './segment-sources.ts';

/** Does a job; pure but for reading the sources of merged segments. */
export function runJob(job: BuildJob): SegmentFiles {
  if (job.kind === 'build') {
    return finished(
      buildSegment(job.name, job.mapping, unpackDocuments(job.documents), { checksum }),
    );
  }
  const sources = job.parts.map((part) => new SegmentSources(part.name, part.sources));
  try {
    const views = job.parts.map((part, i) => viewOf(part, sources[i] as SegmentSources));
    return finished(mergeSegments(job.name, job.mapping, views, { checksum }));
  } finally {
    for (const one of sources) one.release();
  }
}

function viewOf(part: MergePart, sources: SegmentSources): SegmentView {
  return {
    segment: openSegment(part.name, part.index, sources, { checksum, index: 'verified' }),
    liveDocs: part.liveDocs,
    liveCount: part.liveCount,
  };
}

function finished(files: SegmentFiles): SegmentFiles {
  return { index: shared(files.index), sources: shared(files.sources) };
}

function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
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
