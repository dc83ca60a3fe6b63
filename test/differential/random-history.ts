// Random histories of an index before a search: documents put and deleted, segments flushed and
// merged.

import { addSegment, replaceMerged } from '../../src/engine/index/segment-list.ts';
import { memorySource, openSegment } from '../../src/engine/index/segment-reader.ts';
import { buildSegment, type SegmentFiles } from '../../src/engine/index/segment-writer.ts';
import type { Segment, SegmentView } from '../../src/engine/sections/segment.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import { mergeSegments, sourceDocument } from '../support/segments.ts';
import { byCodePoints, type PlainDocument } from './naive.ts';
import type { Random } from './random.ts';
import { randomDocument } from './random-documents.ts';

/** A step of a history. */
export type Step =
  | { readonly kind: 'flush'; readonly puts: PlainDocument[]; readonly deletes: string[] }
  | { readonly kind: 'merge'; readonly parts: number[] };

/** Whether documents are replaced and deleted. */
export type Change = 'once' | 'often';

/** Runs a generator to its end. */
export function run<Value>(steps: Generator<void, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Reopens the segments of views, with empty caches. */
export type Reopen = () => SegmentView[];

/** The segments after the steps. */
export function build(steps: readonly Step[], mapping: Mapping): SegmentView[] {
  return buildFiles(steps, mapping).views;
}

/** Same as `build`, with a function that reopens the segments. */
export function buildFiles(
  steps: readonly Step[],
  mapping: Mapping,
): { readonly views: SegmentView[]; readonly reopen: Reopen } {
  let views: SegmentView[] = [];
  let version = 0;
  const files = new Map<string, SegmentFiles>();
  const open = (name: string, made: SegmentFiles): Segment => {
    files.set(name, made);
    return openSegment(name, made.index, memorySource(made.sources));
  };
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'flush') {
      const documents = step.puts.map(({ id, ...members }) =>
        sourceDocument(id, members, mapping.nestedPaths, ++version),
      );
      const name = `s${at}`;
      const segment = documents.length === 0 ? null : open(name, buildSegment(mapping, documents));
      views = addSegment(views, segment, [...step.puts.map(({ id }) => id), ...step.deletes]);
    } else {
      const parts = views.filter((_, index) => step.parts.includes(index));
      if (parts.length === 0) continue;
      const merged = open(`s${at}`, mergeSegments(mapping, parts));
      views = replaceMerged(views, merged, parts);
    }
  }
  const reopen = (): SegmentView[] =>
    views.map((view) => {
      const { name } = view.segment;
      return { ...view, segment: open(name, files.get(name)!) };
    });
  return { views, reopen };
}

/** The live documents. */
export function survivors(steps: readonly Step[]): PlainDocument[] {
  const byId = new Map<string, PlainDocument>();
  for (const step of steps) {
    if (step.kind !== 'flush') continue;
    for (const id of step.deletes) byId.delete(id);
    for (const document of step.puts) byId.set(document.id, document);
  }
  return [...byId.values()].sort((a, b) => byCodePoints(a.id, b.id));
}

const ODD_IDS = ['dé', 'd\u{1f600}', 'd\uffee', 'D1', 'd 1', 'd/1?#', `d${'x'.repeat(600)}`];

/** Random flushes, deletions and merges of documents. */
export function randomSteps(random: Random, mapping: Mapping, change: Change): Step[] {
  const ids = 30 + random.int(40);
  const id = () => (random.chance(0.03) ? random.pick(ODD_IDS) : `d${random.int(ids)}`);
  const seen = new Set<string>();
  const isNews = (one: string) => change === 'often' || !seen.has(one);
  return random.list(2, 6, () => {
    if (random.chance(0.2)) return { kind: 'merge', parts: random.list(1, 3, () => random.int(4)) };
    const puts = new Map<string, PlainDocument>();
    for (const one of random.list(0, 30, id)) {
      if (isNews(one)) puts.set(one, randomDocument(random, mapping, one));
      seen.add(one);
    }
    const few = change === 'often' ? random.list(0, 4, id) : [];
    return {
      kind: 'flush',
      puts: [...puts.values()],
      deletes: few.filter((one) => !puts.has(one)),
    };
  });
}
