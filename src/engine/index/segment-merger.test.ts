import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { mergeSegments, sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { liveView, withDeleted } from '../sections/live-docs.ts';
import type { SegmentView, SourceDocument } from '../sections/segment.ts';
import { memorySource, openSegment } from './segment-reader.ts';
import { buildSegment } from './segment-writer.ts';

const NESTED = ['accounts', 'apps'];
const mapping = testMapping(
  {
    id: 'keyword',
    name: 'text',
    status: 'keyword',
    created: 'date',
    count: 'long',
    ratio: 'double',
    active: 'boolean',
    'attributes.x': 'text?',
    'accounts.name': 'text',
    'accounts.count': 'long',
    'apps.id': 'keyword',
  },
  NESTED,
);

const text = fc.oneof(
  fc.constantFrom('', 'Ada', 'ada LOVELACE', '2024-02-29', '-12.5', 'a b a', 'İΣ', '😀 \uffff'),
  anyText({ maxLength: 6 }),
);
const one = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof(value, fc.constant(null), fc.array(value, { maxLength: 4 }));
const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }), text);
const members = fc.record(
  {
    name: one(text),
    status: one(text),
    created: one(fc.oneof(number, fc.constant('2024-01-01T10:00:00Z'))),
    count: one(number),
    ratio: one(number),
    active: one(fc.oneof(fc.boolean(), text)),
    attributes: fc.record({ x: one(text) }),
    accounts: fc.array(fc.record({ name: one(text), count: one(number) }), { maxLength: 4 }),
    apps: one(fc.record({ id: one(text) })),
  },
  { requiredKeys: [] },
);
/** Documents by batch; a repeated id in a later batch replaces the document, `null` deletes it. */
const history = fc.array(
  fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'dd', 'é', '😀', '\uffff', 'z'),
    fc.option(members),
    {
      maxKeys: 6,
    },
  ),
  { minLength: 1, maxLength: 4 },
);

function viewOf(documents: readonly SourceDocument[]): SegmentView {
  const { index, sources } = buildSegment(mapping, documents);
  return liveView(openSegment('part', index, memorySource(sources)));
}

test('a merge is byte for byte equal to building from the remaining documents', () => {
  fc.assert(
    fc.property(history, fc.nat(40), (batches, others) => {
      const surviving = new Map<string, SourceDocument>();
      const empty = Array.from({ length: others }, (_, i) => sourceDocument(`e${i}`, {}));
      for (const document of empty) surviving.set(document.id, document);
      let views: SegmentView[] = [viewOf(empty)];
      batches.forEach((batch, at) => {
        const documents: SourceDocument[] = [];
        views = views.map((view) =>
          withDeleted(
            view,
            Object.keys(batch)
              .map((id) => view.segment.ids.find(id))
              .filter((row) => row >= 0),
          ),
        );
        for (const [id, document] of Object.entries(batch)) {
          surviving.delete(id);
          if (document === null) continue;
          documents.push(sourceDocument(id, document, NESTED, at));
          surviving.set(id, documents[documents.length - 1]!);
        }
        views.push(viewOf(documents));
      });
      const merged = mergeSegments(mapping, views);
      const built = buildSegment(mapping, [...surviving.values()]);
      assert.deepEqual(Buffer.from(merged.sources), Buffer.from(built.sources));
      assert.deepEqual(contents(merged.index), contents(built.index));
      assert.ok(Buffer.compare(merged.index, built.index) === 0, 'same index bytes');
    }),
    { numRuns: 300 },
  );
});

/** Returns the table of contents, which shows differences better than unequal bytes do. */
function contents(index: Uint8Array): unknown {
  const at = Buffer.from(index).lastIndexOf('{"contents"');
  return Buffer.from(index.slice(at, index.length - 24)).toString();
}

test('merging only deleted rows creates an empty segment', () => {
  const view = viewOf([sourceDocument('a', { name: 'x' })]);
  const { index, sources } = mergeSegments(mapping, [withDeleted(view, [0])]);
  assert.equal(openSegment('m', index, memorySource(sources)).docCount, 0);
  assert.equal(sources.length, 0);
});

test('merging no segments creates an empty segment', () => {
  const { index, sources } = mergeSegments(mapping, []);
  assert.equal(openSegment('m', index, memorySource(sources)).docCount, 0);
});

test('of an id that is live twice the higher version remains', () => {
  const newer = viewOf([sourceDocument('a', { name: 'new' }, [], 7)]);
  const older = viewOf([sourceDocument('a', { name: 'old' }, [], 3)]);
  for (const views of [
    [newer, older],
    [older, newer],
  ]) {
    const { index, sources } = mergeSegments(mapping, views);
    const merged = openSegment('m', index, memorySource(sources));
    assert.equal(merged.docCount, 1);
    assert.equal(merged.root.values('name')?.exact.term(0), 'new');
  }
});
