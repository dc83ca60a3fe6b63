// Builds and merges segments, in the thread that calls. Small segments are returned in memory. Large
// ones are written to files, and merges read from files, so that any merge takes only the memory of
// its largest field.

import { writeMerged } from '../../../engine/index/segment-merger.ts';
import { openSegment } from '../../../engine/index/segment-reader.ts';
import {
  buildSegment,
  type SegmentSinks,
  writeSegment,
} from '../../../engine/index/segment-writer.ts';
import type { SegmentView } from '../../../engine/sections/segment.ts';
import { FileSink } from '../files/file-sink.ts';
import { SEGMENT_CODEC } from '../files/segment-codec.ts';
import { MergeSource } from '../files/segment-index.ts';
import { SegmentSources } from '../files/segment-sources.ts';
import {
  type BuildJob,
  type Built,
  type SegmentPaths,
  unpackDocuments,
  type WrittenSegment,
} from './build-job.ts';

/** For merges, which read rows in order. */
const READ_AHEAD_BYTES = 256 * 1024;

/** Runs a job. @throws CorruptSegmentError if a segment to merge is damaged */
export function runJob(job: BuildJob): Built {
  if (job.kind === 'merge') return merge(job);
  const { mapping, paths } = job;
  const documents = unpackDocuments(job.documents);
  if (paths === null) return buildSegment(mapping, documents, SEGMENT_CODEC);
  return writeFiles(paths, (sinks) => writeSegment(mapping, documents, sinks, SEGMENT_CODEC));
}

function merge({ mapping, parts, paths }: BuildJob & { kind: 'merge' }): WrittenSegment {
  const readers: { close(): void }[] = [];
  try {
    const views = parts.map(({ name, index, sources, liveDocs, liveCount }): SegmentView => {
      const reader = new SegmentSources(name, sources, READ_AHEAD_BYTES);
      readers.push({ close: () => reader.release() });
      const source = new MergeSource(name, index);
      readers.push(source);
      return { segment: openSegment(name, source, reader, SEGMENT_CODEC), liveDocs, liveCount };
    });
    return writeFiles(paths, (sinks) => writeMerged(mapping, views, sinks, SEGMENT_CODEC));
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** Writes both files of a segment and syncs them to disk. */
function writeFiles(paths: SegmentPaths, write: (sinks: SegmentSinks) => void): WrittenSegment {
  const index = new FileSink(paths.index);
  try {
    const sources = new FileSink(paths.sources);
    try {
      write({ index, sources });
      index.sync();
      sources.sync();
      return { sourcesBytes: sources.length };
    } finally {
      sources.close();
    }
  } finally {
    index.close();
  }
}
