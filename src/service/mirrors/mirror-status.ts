// The status of a mirror, from what the store holds: how old the copy is, counts here and there,
// the last runs and errors, and what the copy cannot tell. For the command line, administrators and
// metrics; it asks nothing of the remote tenant.
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Mirror, MirrorPart, MirrorRun, MirrorWalk } from '../ports/mirror-records.ts';
import type { Records } from '../ports/store.ts';

/** The status of one part. */
export interface MirrorPartStatus {
  readonly name: string;
  /** Documents or records that the mirror brought. */
  readonly here: number;
  /** As many as the remote tenant had at the end of the last walk; null if unknown. */
  readonly there: number | null;
  readonly copiedAt: string | null;
  readonly sweptAt: string | null;
  /** The walk under way, or interrupted; null for none. */
  readonly walk: Pick<MirrorWalk, 'kind' | 'done' | 'total' | 'since'> | null;
  /** How many times a document or record could not be stored. */
  readonly refused: number;
  readonly refusals: MirrorPart['refusals'];
}

/** The status of a mirror. */
export interface MirrorStatus {
  readonly source: string;
  readonly profilesSource: string | null;
  readonly authUsers: string;
  /** ISO 8601: start of the run that is under way, or that died; null for none. */
  readonly running: string | null;
  /** Everything that the remote tenant showed until then is here; null before the first copy. */
  readonly copiedAt: string | null;
  /** Seconds since `copiedAt`. */
  readonly lagSeconds: number | null;
  /** The reason why the last run failed; null if it did not. */
  readonly error: string | null;
  readonly parts: readonly MirrorPartStatus[];
  /** Newest first. */
  readonly runs: readonly MirrorRun[];
  /** What the copy cannot tell, one sentence each. */
  readonly limits: readonly string[];
}

/** Names of the parts that every mirror has. */
const INDEX_PARTS: readonly string[] = INDEX_NAMES;

/**
 * The status of the mirror of a tenant; null if it is no mirror.
 * @param now epoch milliseconds
 */
export async function mirrorStatus(
  records: Pick<Records, 'mirror' | 'mirrorParts' | 'mirroredCounts'>,
  tenantId: string,
  now: number,
): Promise<MirrorStatus | null> {
  const mirror = await records.mirror(tenantId);
  if (mirror === null) return null;
  const [parts, counts] = await Promise.all([
    records.mirrorParts(tenantId),
    records.mirroredCounts(tenantId),
  ]);
  const { source, profilesSource, authUsers, running, runs } = mirror;
  const { copiedAt, lagSeconds } = mirrorAge(parts, now);
  return {
    ...{ source, profilesSource, authUsers, running, copiedAt, lagSeconds },
    error: lastError(mirror),
    parts: parts.map((part) => partStatus(part, counts[part.name] ?? 0)),
    runs,
    limits: limitsOf(mirror, parts),
  };
}

/** The mirrors of all tenants together, for metrics. */
export async function mirrorFigures(
  records: Pick<Records, 'mirrors' | 'mirrorParts'>,
  now: number,
): Promise<{
  readonly mirrors: number;
  readonly failing: number;
  readonly lagSeconds: number | null;
}> {
  const mirrors = await records.mirrors();
  const lags: number[] = [];
  for (const { tenantId } of mirrors) {
    const { lagSeconds } = mirrorAge(await records.mirrorParts(tenantId), now);
    if (lagSeconds !== null) lags.push(lagSeconds);
  }
  return {
    mirrors: mirrors.length,
    failing: mirrors.filter((mirror) => lastError(mirror) !== null).length,
    lagSeconds: lags.length === 0 ? null : Math.max(...lags),
  };
}

/** The age of the oldest part; the auth users are read more rarely and do not count. */
function mirrorAge(
  parts: readonly MirrorPart[],
  now: number,
): { readonly copiedAt: string | null; readonly lagSeconds: number | null } {
  const indexes = parts.filter(({ name }) => INDEX_PARTS.includes(name));
  const times = indexes.flatMap(({ copiedAt }) => copiedAt ?? []).sort();
  const [copiedAt] = times;
  if (copiedAt === undefined || times.length < INDEX_PARTS.length) {
    return { copiedAt: null, lagSeconds: null };
  }
  return { copiedAt, lagSeconds: Math.max(0, Math.round((now - Date.parse(copiedAt)) / 1_000)) };
}

/** The reason why the last run failed. */
function lastError({ runs }: Pick<Mirror, 'runs'>): string | null {
  const [last] = runs;
  return last?.outcome === 'failed' ? (last.error ?? 'unknown') : null;
}

function partStatus(part: MirrorPart, here: number): MirrorPartStatus {
  const { name, there, copiedAt, sweptAt, walk, totals, refusals } = part;
  return {
    ...{ name, here, there, copiedAt, sweptAt },
    walk:
      walk === null
        ? null
        : { kind: walk.kind, done: walk.done, total: walk.total, since: walk.since },
    refused: totals.refused,
    refusals,
  };
}

function limitsOf({ authUsers }: Mirror, parts: readonly MirrorPart[]): readonly string[] {
  const indexes = parts.filter(({ name }) => INDEX_PARTS.includes(name));
  const swept = indexes.map(({ sweptAt }) => sweptAt);
  const oldest = swept.includes(null) ? null : (swept.sort()[0] ?? null);
  const since = oldest === null ? 'the first copy' : oldest;
  return [
    `What was deleted in the remote tenant since ${since} may still be here until the next sweep.`,
    'Fields and documents that the token of the mirror may not see are missing.',
    'Changes that do not change the modification time of a document arrive only with --full.',
    ...(authUsers === 'none'
      ? ['Auth users are not mirrored: capabilities of the remote tenant are unknown here.']
      : []),
  ];
}
