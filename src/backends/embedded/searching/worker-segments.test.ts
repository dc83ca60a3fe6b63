import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSegment } from '../../../engine/index/segment-writer.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import type { Plan } from '../../../query/plan.ts';
import { SEGMENT_CODEC } from '../files/segment-codec.ts';
import type { SharedSegment, SharedView } from './search-messages.ts';
import { WorkerSegments } from './worker-segments.ts';

const MAPPING = staticMapping('roles', { name: 'acme', pod: 'cardea' });
const EMPTY = new Uint8Array(0);
const MIB = 2 ** 20;
const PLAN: Plan = {
  targets: [
    { index: 'identities', query: { kind: 'matchAll' } },
    { index: 'roles', query: { kind: 'matchAll' } },
  ],
  ...{ sort: [], from: 0, size: 10, trackTotal: true },
  source: { includes: [], excludes: [], nested: true },
};

function segmentOf(name: string): SharedSegment {
  const root = new TextEncoder().encode(JSON.stringify({ id: name, name }));
  const documents = [{ id: name, version: 1, root, nested: EMPTY }];
  const { index, sources } = buildSegment(MAPPING, documents, SEGMENT_CODEC);
  return {
    name,
    index: { kind: 'memory', bytes: index },
    sources: { kind: 'memory', bytes: sources },
  };
}

const viewOf = (segment: string): SharedView => ({ segment, liveDocs: null, liveCount: 1 });

function segmentsOf(names: readonly string[]): WorkerSegments {
  const segments = new WorkerSegments({ documents: MIB, positions: MIB, queries: 64 * MIB });
  segments.setMapping('roles acme', MAPPING);
  segments.updateIndex('roles acme', names.map(viewOf), names.map(segmentOf));
  return segments;
}

test('a segment stays open until no index has it', () => {
  const segments = segmentsOf(['s1', 's2']);
  const before = segments.targets(PLAN, [null, 'roles acme'])[0]?.snapshot.views;
  segments.updateIndex('roles acme', [viewOf('s2'), viewOf('s3')], [segmentOf('s3')]);
  const after = segments.targets(PLAN, [null, 'roles acme'])[0]?.snapshot.views;
  assert.equal(after?.[0]?.segment, before?.[1]?.segment);
  assert.deepEqual(segments.names, ['s2', 's3']);
  segments.updateIndex('roles acme', [], []);
  assert.deepEqual(segments.names, []);
  assert.throws(() => segments.targets(PLAN, [null, 'roles acme']));
});

/** Its last bytes, which are a checksum, are wrong. */
function damagedSegment(name: string): SharedSegment {
  const whole = segmentOf(name);
  const bytes = Uint8Array.from(whole.index.bytes);
  bytes.fill(0, bytes.length - 8);
  return { ...whole, index: { kind: 'memory', bytes } };
}

test('a damaged segment is reported to the requests of its index until the index has it no longer', () => {
  const segments = segmentsOf(['s1']);
  segments.updateIndex('roles acme', [viewOf('s1'), viewOf('s2')], [damagedSegment('s2')]);
  assert.throws(() => segments.targets(PLAN, [null, 'roles acme']), CorruptSegmentError);
  segments.updateIndex('roles acme', [viewOf('s2'), viewOf('s3')], [segmentOf('s3')]);
  assert.throws(() => segments.targets(PLAN, [null, 'roles acme']), CorruptSegmentError);
  segments.updateIndex('roles acme', [viewOf('s3'), viewOf('s4')], [segmentOf('s4')]);
  const [target] = segments.targets(PLAN, [null, 'roles acme']);
  assert.equal(target?.snapshot.views.length, 2);
  assert.deepEqual(segments.names, ['s3', 's4']);
});

test('a segment whose file is gone, as after a merge, fails requests only while its index has it', () => {
  const segments = segmentsOf(['s1']);
  const { name, sources, index } = segmentOf('s2');
  const empty = { bytes: new Uint8Array(index.bytes.length), sound: new Uint8Array(1) };
  const removed = { kind: 'file', path: join(tmpdir(), 'cardea-removed'), ...empty } as const;
  segments.updateIndex('roles acme', [viewOf('s2')], [{ name, index: removed, sources }]);
  assert.throws(() => segments.targets(PLAN, [null, 'roles acme']), /its index file is missing/);
  segments.updateIndex('roles acme', [viewOf('s3')], [segmentOf('s3')]);
  assert.equal(segments.targets(PLAN, [null, 'roles acme']).length, 1);
  assert.deepEqual(segments.names, ['s3']);
});

test('a segment whose bytes have moved is read from their new place', () => {
  const segments = segmentsOf(['s1']);
  const folder = mkdtempSync(join(tmpdir(), 'cardea-segments-'));
  try {
    const { name, index, sources } = segmentOf('s1');
    assert.equal(sources.kind, 'memory');
    const bytes = sources.kind === 'memory' ? sources.bytes : EMPTY;
    const path = join(folder, 's1.sources');
    writeFileSync(path, bytes);
    const moved = { name, index, sources: { kind: 'file', path, length: bytes.length } as const };
    segments.updateIndex('roles acme', [viewOf('s1')], [moved]);
    const [target] = segments.targets(PLAN, [null, 'roles acme']);
    const root = target?.snapshot.views[0]?.segment.sources.root(0) ?? EMPTY;
    assert.equal(JSON.parse(new TextDecoder().decode(root)).id, 's1');
    assert.equal(target?.index, 'roles');
    segments.updateIndex('roles acme', [], []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
