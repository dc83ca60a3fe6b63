// One run of a mirror: every part is copied, or what changed of it, and swept for deletions where
// that is due. The run is recorded with its counts; a run that died is recorded by the next one.
// Invariant: parts fail alone, also the collections of profile management. What one part could not
// do is the error of the run, and the others are copied all the same.
import { ServiceError } from '../../errors.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import { DoubtfulWalk } from '../../remote/walk-bounds.ts';
import { LOCAL_OPERATOR, recordAuditEvent } from '../../service/audit/audit-event.ts';
import {
  AUTH_USER_PART,
  type Mirror,
  type MirrorCounts,
  type MirrorPart,
  type MirrorRefusal,
  type MirrorRun,
} from '../../service/ports/mirror-records.ts';
import type { ResourceKind } from '../../service/ports/resources.ts';
import { copyAuthUsers } from './parts/auth-user-part.ts';
import { indexSource, indexTarget } from './parts/index-part.ts';
import type { MirrorWorld } from './parts/mirror-world.ts';
import { copyPart } from './parts/part-copy.ts';
import { PartProgress } from './parts/part-progress.ts';
import type { PartSource, PartTarget } from './parts/part-source.ts';
import { sweepPart } from './parts/part-sweep.ts';
import { PROFILES, profileSource, profileTarget } from './parts/profile-part.ts';
import { copyRecords, deleteGoneRecords, recordPartName } from './parts/record-part.ts';
import type { RemoteProfiles } from './remote/remote-tenant.ts';

/** Indexes copied at the same time: one walk waits for one answer after the other. */
const AT_ONCE = 3;
/** Runs that are kept for people to read. */
const RUNS = 20;
/** Kinds that profiles refer to, in the order in which they refer to one another. */
const BEFORE_PROFILES: readonly ResourceKind[] = [
  ...(['role', 'profileType', 'attribute', 'option', 'riskLevel', 'user'] as const),
];
/** Kinds that refer to profiles, and types again, whose namings refer to attributes. */
const AFTER_PROFILES: readonly ResourceKind[] = [
  ...(['profileType', 'userRole', 'roleProfile', 'userProfile'] as const),
  ...(['userManager', 'riskScore'] as const),
];

/** What a run did. */
export interface RunReport extends MirrorRun {
  /** One sentence per part that failed. */
  readonly faults: readonly string[];
  /** Parts of which documents or records could not be stored, each with the last one of them. */
  readonly refused: readonly RefusedPart[];
}

export interface RefusedPart extends MirrorRefusal {
  readonly part: string;
  readonly count: number;
}

const NEXT_RUN = 'The next run goes on there, and --full begins again.';

/** Does work that may fail without the rest. */
type Attempt = (work: () => Promise<void>) => Promise<void>;

/**
 * Runs the mirror once. Errors of the remote tenant and of the store end the part that they concern
 * and are returned.
 */
export async function runMirror(world: MirrorWorld): Promise<RunReport> {
  const { store, tenantId, clock, signal } = world;
  const began = new Date(clock.now()).toISOString();
  const before = await store.read.mirrorParts(tenantId);
  await beginRun(world, began, before);
  const faults: string[] = [];
  const attempt: Attempt = async (work) => {
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServiceError)) throw error;
      faults.push(error instanceof DoubtfulWalk ? `${error.message} ${NEXT_RUN}` : error.message);
    }
  };
  await inParallel(INDEX_NAMES, AT_ONCE, (index) => attempt(() => runIndex(world, before, index)));
  await attempt(() => runAuthUsers(world, before));
  const { profiles } = world;
  if (profiles !== null) await runProfiles(world, profiles, before, attempt);
  const outcome = faults.length > 0 ? 'failed' : signal.aborted ? 'stopped' : 'complete';
  const run = await endRun(world, began, outcome, faults.length === 0 ? null : faults.join('; '));
  const after = await store.read.mirrorParts(tenantId);
  return { ...run, faults, refused: after.flatMap((part) => refusedSince(before, part)) };
}

function refusedSince(before: readonly MirrorPart[], part: MirrorPart): readonly RefusedPart[] {
  const { name, totals, refusals } = part;
  const earlier = before.find((one) => one.name === name)?.totals.refused ?? 0;
  const [last] = refusals;
  if (totals.refused <= earlier || last === undefined) return [];
  return [{ part: name, count: totals.refused - earlier, ...last }];
}

async function runIndex(
  world: MirrorWorld,
  stored: readonly MirrorPart[],
  index: IndexName,
): Promise<void> {
  const progress = PartProgress.of(world, index, stored);
  await runWalks(world, progress, indexSource(world, index), indexTarget(world, index));
}

/** Runs the walks of a part; one whose list cannot be believed stays where it is until `full`. */
async function runWalks(
  world: MirrorWorld,
  progress: PartProgress,
  source: PartSource,
  target: PartTarget,
): Promise<void> {
  const wasDoubtful = progress.part.walk?.doubtful === true;
  if (wasDoubtful && world.choices.full) await progress.set({ walk: null });
  try {
    await copyAndSweep(world, progress, source, target, wasDoubtful);
  } catch (error) {
    await progress.doubt(error);
    throw error;
  }
}

/**
 * Ends a sweep that was interrupted, copies, and sweeps if that is due. A sweep that fails again is
 * given up, so that changes arrive all the same; a copy that has to be repeated delays no sweep, so
 * that deletions do.
 * @param wasDoubtful whether the copy may hold what is not there, and lack what is
 */
async function copyAndSweep(
  world: MirrorWorld,
  progress: PartProgress,
  source: PartSource,
  target: PartTarget,
  wasDoubtful: boolean,
): Promise<void> {
  let fault: ServiceError | null = null;
  if (progress.part.walk?.kind === 'sweep') {
    try {
      await sweepPart(world, progress, source, target);
    } catch (error) {
      if (world.signal.aborted || !(error instanceof ServiceError)) throw error;
      if (error instanceof DoubtfulWalk) throw error;
      fault = error;
      await progress.set({ walk: null });
    }
  }
  const isFirst = progress.part.copiedAt === null;
  const repetition = await copyPart(world, progress, source, target);
  if (fault !== null) throw fault;
  const isSpared = isFirst && repetition === null && world.choices.sweepEveryMs > 0;
  if (wasDoubtful || (!isSpared && isDue(world, progress.part.sweptAt))) {
    await sweepPart(world, progress, source, target);
  }
  if (repetition !== null) throw repetition;
}

function isDue({ clock, choices }: MirrorWorld, last: string | null): boolean {
  return last === null || clock.now() - Date.parse(last) >= choices.sweepEveryMs;
}

async function runAuthUsers(world: MirrorWorld, stored: readonly MirrorPart[]): Promise<void> {
  const { authUsers, full } = world.choices;
  if (authUsers === 'none') return;
  const progress = PartProgress.of(world, AUTH_USER_PART, stored);
  const { walk, copiedAt } = progress.part;
  // All of them are one request each, so they are asked for as rarely as ids are compared.
  const isResting = authUsers === 'all' && walk === null && !full && !isDue(world, copiedAt);
  if (!isResting) await copyAuthUsers(world, progress);
}

async function runProfiles(
  world: MirrorWorld,
  remote: RemoteProfiles,
  stored: readonly MirrorPart[],
  attempt: Attempt,
): Promise<void> {
  const listed = new Map<ResourceKind, ReadonlySet<string>>();
  const parts = new Map<ResourceKind, PartProgress>();
  const copy = async (kind: ResourceKind) => {
    const progress = parts.get(kind) ?? PartProgress.of(world, recordPartName(kind), stored);
    parts.set(kind, progress);
    listed.delete(kind);
    await attempt(async () => {
      listed.set(kind, await copyRecords(world, remote, kind, progress));
    });
  };
  for (const kind of BEFORE_PROFILES) await copy(kind);
  const profiles = PartProgress.of(world, PROFILES, stored);
  const areReferentsUnread = BEFORE_PROFILES.some((kind) => !listed.has(kind));
  await attempt(() => runProfileWalks(world, profiles, remote, areReferentsUnread));
  for (const kind of AFTER_PROFILES) await copy(kind);
  for (const [kind, progress] of [...parts].reverse()) {
    const ids = listed.get(kind);
    // A kind that could not be read has no known deletions.
    if (ids === undefined) continue;
    await attempt(() => deleteGoneRecords(world, remote, kind, progress, ids));
  }
}

/**
 * Copies profiles. If some are refused while records that they may refer to could not be read, the
 * next run sweeps: a new profile that is refused twice comes with no increment.
 */
async function runProfileWalks(
  world: MirrorWorld,
  progress: PartProgress,
  remote: RemoteProfiles,
  areReferentsUnread: boolean,
): Promise<void> {
  const { refused } = progress.part.totals;
  try {
    await runWalks(world, progress, profileSource(remote), profileTarget(world));
  } finally {
    const hasRefused = progress.part.totals.refused > refused;
    if (areReferentsUnread && hasRefused) await progress.set({ sweptAt: null });
  }
}

/** Records the start; a start without an end was a run that died. */
async function beginRun(
  { store, tenantId, clock }: MirrorWorld,
  began: string,
  parts: readonly MirrorPart[],
): Promise<void> {
  await store.write(async (records) => {
    const mirror = await records.mirror(tenantId);
    if (mirror === null) throw new Error('The tenant is not a mirror');
    const died: MirrorRun[] =
      mirror.running === null
        ? []
        : [
            {
              ...{ began: mirror.running, ended: new Date(clock.now()).toISOString() },
              ...{ outcome: 'killed', error: null, counts: sinceLastRun(parts, mirror) },
            },
          ];
    await records.putMirror({
      ...mirror,
      running: began,
      runs: [...died, ...mirror.runs].slice(0, RUNS),
      counted: sumOf(parts),
    });
  });
}

/** Records the end, with one audit event if anything changed. */
async function endRun(
  { store, tenantId, clock }: MirrorWorld,
  began: string,
  outcome: MirrorRun['outcome'],
  error: string | null,
): Promise<MirrorRun> {
  return store.write(async (records) => {
    const mirror = await records.mirror(tenantId);
    if (mirror === null) throw new Error('The tenant is not a mirror');
    const parts = await records.mirrorParts(tenantId);
    const ended = new Date(clock.now()).toISOString();
    const run: MirrorRun = { began, ended, outcome, error, counts: sinceLastRun(parts, mirror) };
    await records.putMirror({
      ...mirror,
      running: null,
      runs: [run, ...mirror.runs].slice(0, RUNS),
      counted: sumOf(parts),
      audited: sumOf(parts),
    });
    const changes = difference(sumOf(parts), mirror.audited);
    if (changes.created + changes.updated + changes.deleted > 0) {
      await recordAuditEvent(
        records,
        tenantId,
        { actor: LOCAL_OPERATOR, now: ended },
        {
          act: 'MIRROR_IMPORT',
          target: mirror.source,
          status: outcome === 'failed' ? 'FAILED' : 'PASSED',
          attributes: { ...changes },
        },
      );
    }
    return run;
  });
}

function sinceLastRun(parts: readonly MirrorPart[], { counted }: Mirror): MirrorCounts {
  return difference(sumOf(parts), counted);
}

function sumOf(parts: readonly MirrorPart[]): MirrorCounts {
  const sum = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0 };
  for (const { totals } of parts) {
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += totals[name];
  }
  return sum;
}

function difference(a: MirrorCounts, b: MirrorCounts): MirrorCounts {
  return {
    created: a.created - b.created,
    updated: a.updated - b.updated,
    unchanged: a.unchanged - b.unchanged,
    deleted: a.deleted - b.deleted,
    refused: a.refused - b.refused,
  };
}

/** Runs `work` for all items, a few at the same time; ends after all have ended. */
async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  const failed = lanes.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
