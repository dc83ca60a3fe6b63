// Documents, mappings and segments for the tests of the engine. Importing this file turns on the
// checks of the iterator contract for all cursors of the engine in this process.

import { writeMerged } from '../../src/engine/index/segment-merger.ts';
import { memorySource, openSegment } from '../../src/engine/index/segment-reader.ts';
import { buildSegment, type SegmentFiles } from '../../src/engine/index/segment-writer.ts';
import { PLAIN_CODEC } from '../../src/engine/index/stored-fields.ts';
import { MemorySink } from '../../src/engine/sections/index-source.ts';
import type { Segment, SegmentView, SourceDocument } from '../../src/engine/sections/segment.ts';
import type { Field, FieldType, Mapping } from '../../src/query/mapping/mapping.ts';
import { watchEngine } from './iterator-contract.ts';

await watchEngine();

/** A mapping from `path: type`; a `?` after the type makes the field dynamic. */
export function testMapping(
  fields: Readonly<Record<string, FieldType | `${FieldType}?`>>,
  nestedPaths: readonly string[] = [],
): Mapping {
  const list = Object.entries(fields).map(([path, type]): Field => {
    const nested = nestedPaths.find((one) => path.startsWith(`${one}.`)) ?? null;
    return { path, type: type.replace('?', '') as FieldType, nested, dynamic: type.endsWith('?') };
  });
  return {
    index: 'identities',
    fields: new Map(list.map((field) => [field.path, field])),
    nestedPaths,
    dynamicRoots: [],
    identifying: [],
    constants: {},
  };
}

const encoder = new TextEncoder();

/** A document in the form of the store, with nested members separate. */
export function sourceDocument(
  id: string,
  members: object,
  nestedPaths: readonly string[] = [],
  version = 1,
): SourceDocument {
  const root: Record<string, unknown> = { id };
  const nested: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (!nestedPaths.includes(name)) root[name] = value;
    else nested.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  return {
    id,
    version,
    root: encoder.encode(JSON.stringify(root)),
    nested: encoder.encode(nested.join(',')),
  };
}

/** Merges segments in memory. */
export function mergeSegments(
  mapping: Mapping,
  views: readonly SegmentView[],
  codec = PLAIN_CODEC,
): SegmentFiles {
  const index = new MemorySink();
  const sources = new MemorySink();
  writeMerged(mapping, views, { index, sources }, codec);
  return { index: index.finish(), sources: sources.finish() };
}

/** Builds a segment and opens it, including the checksum. */
export function testSegment(
  mapping: Mapping,
  documents: readonly SourceDocument[],
  name = 'test',
): Segment {
  const { index, sources } = buildSegment(mapping, documents);
  return openSegment(name, index, memorySource(sources));
}
