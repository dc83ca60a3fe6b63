import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ByteCache } from '../../../engine/index/byte-cache.ts';
import { buildSegment } from '../../../engine/index/segment-writer.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import type { Plan } from '../../../query/plan.ts';
import type { SharedSegment, SharedView } from './search-messages.ts';
import { WorkerSegments } from './worker-segments.ts';

const MAPPING = staticMapping('roles', { name: 'acme', pod: 'cardea' });
const EMPTY = new Uint8Array(0);
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
  const { index, sources } = buildSegment(name, MAPPING, [
    { id: name, version: 1, root, nested: EMPTY },
  ]);
  return {
    name,
    index: { kind: 'memory', bytes: index },
    sources: { kind: 'memory', bytes: sources },
  };
}

const viewOf = (segment: string): SharedView => ({ segment, liveDocs: null, liveCount: 1 });

function shelfOf(names: readonly string[]): WorkerSegments {
  const shelf = new WorkerSegments({ sources: new ByteCache(0), pages: new ByteCache(0) });
  shelf.learn('roles acme', MAPPING);
  shelf.put('roles acme', names.map(viewOf), names.map(segmentOf));
  return shelf;
}

test('a segment stays open while an index has it, and is let go of with the last one', () => {
  const shelf = shelfOf(['s1', 's2']);
  const before = shelf.targets(PLAN, [null, 'roles acme'])[0]?.snapshot.views;
  shelf.put('roles acme', [viewOf('s2'), viewOf('s3')], [segmentOf('s3')]);
  const after = shelf.targets(PLAN, [null, 'roles acme'])[0]?.snapshot.views;
  assert.equal(after?.[0]?.segment, before?.[1]?.segment);
  assert.deepEqual(shelf.segments, ['s2', 's3']);
  shelf.put('roles acme', [], []);
  assert.deepEqual(shelf.segments, []);
  assert.throws(() => shelf.targets(PLAN, [null, 'roles acme']));
});

test('a segment whose bytes are elsewhere now is read there', () => {
  const shelf = shelfOf(['s1']);
  const folder = mkdtempSync(join(tmpdir(), 'cardea-shelf-'));
  try {
    const { name, index, sources } = segmentOf('s1');
    assert.equal(sources.kind, 'memory');
    const bytes = sources.kind === 'memory' ? sources.bytes : EMPTY;
    const path = join(folder, 's1.sources');
    writeFileSync(path, bytes);
    const moved = { name, index, sources: { kind: 'file', path, length: bytes.length } as const };
    shelf.put('roles acme', [viewOf('s1')], [moved]);
    const [target] = shelf.targets(PLAN, [null, 'roles acme']);
    const root = target?.snapshot.views[0]?.segment.sources.root(0) ?? EMPTY;
    assert.equal(JSON.parse(new TextDecoder().decode(root)).id, 's1');
    assert.equal(target?.index, 'roles');
    shelf.put('roles acme', [], []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
