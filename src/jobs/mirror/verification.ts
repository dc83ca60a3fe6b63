// Compares a mirror with its remote tenant: the counts of every part, and documents field by field,
// in stretches of ids that begin at random places or in all of them. It changes nothing.
// Invariant: a document counts as equal only if the stored one is what importing the remote one
// would store.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../query/body.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { shownText } from '../../remote/remote-text.ts';
import { WalkBounds } from '../../remote/walk-bounds.ts';
import { DocumentFault } from '../../service/documents/document-shape.ts';
import type { PageItem } from '../../service/documents/import-pages.ts';
import { AUTH_USER_PART } from '../../service/ports/mirror-records.ts';
import { type ComparedSides, indexSides, profileSides } from './compared-sides.ts';
import type { MirrorWorld } from './parts/mirror-world.ts';

/** A field, or a whole document, that differs. */
export interface Difference {
  readonly part: string;
  readonly id: string;
  /** Path of the field; empty for a whole document. */
  readonly field: string;
  /** JSON, shortened; null for absent. */
  readonly here: string | null;
  readonly there: string | null;
}

export interface PartVerification {
  readonly part: string;
  readonly here: number;
  readonly there: number;
  /** Documents compared field by field. */
  readonly compared: number;
}

export interface Verification {
  readonly parts: readonly PartVerification[];
  /** The first ones. */
  readonly differences: readonly Difference[];
  /** All of them. */
  readonly differing: number;
}

export interface VerificationOptions {
  /** Documents of each index, and profiles, that are compared, about; null for all. */
  readonly sample: number | null;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Documents of one stretch, about. */
const STRETCH = 50;
const DIFFERENCES = 100;
const IDS = 1_000;
const SHOWN_CHARACTERS = 120;
/** Change with each sign-in, such as that of the mirror. */
const SIGN_INS: ReadonlySet<string> = new Set(['lastLoginTimestamp', 'currentLoginTimestamp']);

/** @throws ServiceError `unavailable` if the remote tenant or the store fails */
export async function verifyMirror(
  world: MirrorWorld,
  options: VerificationOptions,
): Promise<Verification> {
  const log = new DifferenceLog();
  const counts = await world.store.read.mirroredCounts(world.tenantId);
  const parts: PartVerification[] = [];
  for (const index of INDEX_NAMES) {
    parts.push(await comparePart(world, await indexSides(world, index), options, log));
  }
  const users = counts[AUTH_USER_PART] ?? 0;
  if (users > 0) {
    const compared = await compareAuthUsers(world, users, options, log);
    parts.push({ part: AUTH_USER_PART, here: users, there: users, compared });
  }
  if (world.profiles !== null) {
    const sides = await profileSides(world, world.profiles);
    parts.push(await comparePart(world, sides, options, log));
  }
  return { parts, differences: log.first, differing: log.count };
}

/** Collects differences, and keeps the first ones. */
class DifferenceLog {
  readonly first: Difference[] = [];
  count = 0;

  add({ part, id, field, here, there }: Difference): void {
    this.count += 1;
    if (this.first.length >= DIFFERENCES) return;
    const textOf = (value: string | null) => value && shownText(value);
    const place = { part, id: shownText(id), field: shownText(field) };
    this.first.push({ ...place, here: textOf(here), there: textOf(there) });
  }
}

async function comparePart(
  world: MirrorWorld,
  sides: ComparedSides,
  { sample, random }: VerificationOptions,
  log: DifferenceLog,
): Promise<PartVerification> {
  const { part } = sides;
  const there = await sides.count();
  const here = (await world.store.read.mirroredCounts(world.tenantId))[part] ?? 0;
  const counted = { part, here, there: there ?? here };
  if (sample === null || here <= sample) {
    return { ...counted, compared: (await compareFrom(world, sides, null, null, log)).compared };
  }
  // A stretch begins after an id; this one is before the first.
  const starts = ['', ...(await randomIds(world, part, Math.ceil(sample / STRETCH), random))];
  if (random() * here > STRETCH) starts.shift();
  let compared = 0;
  let reached = '';
  for (const start of starts) {
    // Stretches that overlap would count a difference twice.
    const after = isBefore(start, reached) ? reached : start;
    const stretch = await compareFrom(world, sides, after === '' ? null : after, STRETCH, log);
    compared += stretch.compared;
    if (stretch.upTo === null) break;
    reached = stretch.upTo;
  }
  return { ...counted, compared };
}

/** Compares the documents after an id: one stretch, or all. */
async function compareFrom(
  world: MirrorWorld,
  sides: ComparedSides,
  start: string | null,
  stretch: number | null,
  log: DifferenceLog,
): Promise<{ readonly compared: number; readonly upTo: string | null }> {
  let compared = 0;
  const bounds = new WalkBounds(sides.part, null, () => sides.count());
  for (let after = start; ; ) {
    world.signal.throwIfAborted();
    const items = await sides.page(after, stretch);
    const ids = items.map(({ id }) => id);
    await bounds.checkPage(after, ids, compared + items.length);
    const upTo = items.at(-1)?.id ?? null;
    await compareRange(world, sides, { after, upTo }, items, log);
    compared += items.length;
    if (stretch !== null || upTo === null) return { compared, upTo };
    after = upTo;
  }
}

async function compareRange(
  { store, tenantId }: MirrorWorld,
  { part, stored, expected }: ComparedSides,
  range: { readonly after: string | null; readonly upTo: string | null },
  items: readonly PageItem[],
  log: DifferenceLog,
): Promise<void> {
  const there = new Set(items.map(({ id }) => id));
  for (let { after } = range; ; ) {
    const ids = await store.read.mirroredIds(tenantId, part, { ...range, after }, IDS);
    for (const id of ids) {
      if (!there.has(id)) log.add({ part, id, field: '', here: 'exists', there: null });
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < IDS) break;
    after = last;
  }
  const existing = await stored([...there]);
  for (const item of items) {
    const here = existing.get(item.id);
    if (here === undefined) {
      log.add({ part, id: item.id, field: '', here: null, there: 'exists' });
      continue;
    }
    try {
      compareValues(here, expected(item, here), { part, id: item.id }, '', log);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      log.add({ part, id: item.id, field: '', here: 'exists', there: error.message });
    }
  }
}

async function compareAuthUsers(
  { store, remote, tenantId }: MirrorWorld,
  count: number,
  { sample, random }: VerificationOptions,
  log: DifferenceLog,
): Promise<number> {
  // One request each.
  const size = Math.min(count, sample === null ? count : Math.ceil(sample / 10));
  const ids = await randomIds({ store, tenantId }, AUTH_USER_PART, size, random);
  for (const id of ids) {
    const place = { part: AUTH_USER_PART, id };
    const item = await remote.authUser(id);
    const user = await store.read.authUser(tenantId, id);
    if (item === null || user === null) {
      const exists = (one: object | null) => (one === null ? null : 'exists');
      if (item !== user) log.add({ ...place, field: '', here: exists(user), there: exists(item) });
      continue;
    }
    const { tenant: _, ...here } = user;
    const there = JSON.parse(Buffer.from(item.text).toString()) as Record<string, unknown>;
    for (const [name, value] of Object.entries(here)) {
      if (name in there && !SIGN_INS.has(name)) compareValues(value, there[name], place, name, log);
    }
  }
  return ids.length;
}

/** Whether an id comes before another one in walks: by its UTF-8 bytes. */
function isBefore(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0;
}

/** Random ids of a part, in ascending order: a reservoir over all of them. */
async function randomIds(
  { store, tenantId }: Pick<MirrorWorld, 'store' | 'tenantId'>,
  part: string,
  size: number,
  random: () => number,
): Promise<readonly string[]> {
  const chosen: string[] = [];
  let seen = 0;
  for (let after: string | null = null; ; ) {
    const range: { after: string | null; upTo: null } = { after, upTo: null };
    const ids: readonly string[] = await store.read.mirroredIds(tenantId, part, range, IDS);
    for (const id of ids) {
      seen += 1;
      if (chosen.length < size) chosen.push(id);
      else {
        const place = Math.floor(random() * seen);
        if (place < size) chosen[place] = id;
      }
    }
    const last = ids.at(-1);
    if (last === undefined) return chosen.sort((a, b) => (isBefore(a, b) ? -1 : 1));
    after = last;
  }
}

function compareValues(
  here: unknown,
  there: unknown,
  place: Pick<Difference, 'part' | 'id'>,
  field: string,
  log: DifferenceLog,
): void {
  if (isDeepStrictEqual(here, there)) return;
  if (isObject(here) && isObject(there)) {
    for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
      compareValues(here[name], there[name], place, field === '' ? name : `${field}.${name}`, log);
    }
    return;
  }
  log.add({ ...place, field, here: shown(here), there: shown(there) });
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
