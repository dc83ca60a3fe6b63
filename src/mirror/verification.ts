// Compares a mirror with its remote tenant: the counts of every part, and documents field by field,
// in stretches of ids that begin at random places or in all of them. It changes nothing.
// Invariant: a document counts as equal only if the stored one is what importing the remote one
// would store.
import { isDeepStrictEqual } from 'node:util';
import { DocumentFault } from '../identity/documents/document-shape.ts';
import type { PageItem } from '../identity/documents/import-pages.ts';
import { AUTH_USER_PART } from '../identity/ports/mirror-records.ts';
import { INDEX_NAMES } from '../query/mapping/document-types.ts';
import type { IndexName } from '../query/query.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { indexQuery } from './parts/index-part.ts';

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
  /** Documents of each index that are compared, about; null for all. */
  readonly sample: number | null;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Documents of one stretch. */
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
    const here = counts[index] ?? 0;
    const there = await world.remote.count(index, indexQuery(index, null));
    const compared = await compareIndex(world, index, here, options, log);
    parts.push({ part: index, here, there, compared });
  }
  const users = counts[AUTH_USER_PART] ?? 0;
  if (users > 0) {
    const compared = await compareAuthUsers(world, users, options, log);
    parts.push({ part: AUTH_USER_PART, here: users, there: users, compared });
  }
  return { parts, differences: log.first, differing: log.count };
}

/** Collects differences, and keeps the first ones. */
class DifferenceLog {
  readonly first: Difference[] = [];
  count = 0;

  add(difference: Difference): void {
    this.count += 1;
    if (this.first.length < DIFFERENCES) this.first.push(difference);
  }
}

async function compareIndex(
  world: MirrorWorld,
  index: IndexName,
  here: number,
  { sample, random }: VerificationOptions,
  log: DifferenceLog,
): Promise<number> {
  if (sample === null || here <= sample) return compareFrom(world, index, null, null, log);
  const starts = await randomIds(world, index, Math.ceil(sample / STRETCH), random);
  let compared = 0;
  for (const start of starts) compared += await compareFrom(world, index, start, STRETCH, log);
  return compared;
}

/** Compares the documents after an id: one stretch, or all. @returns how many */
async function compareFrom(
  world: MirrorWorld,
  index: IndexName,
  start: string | null,
  stretch: number | null,
  log: DifferenceLog,
): Promise<number> {
  const { remote, signal } = world;
  const query = indexQuery(index, null);
  const form = await world.local.documentForm(world.tenantId, index);
  let compared = 0;
  for (let after = start; ; ) {
    signal.throwIfAborted();
    const limit = stretch === null ? {} : { limit: stretch };
    const items = await remote.page({ index, query, after, ...limit });
    const upTo = items.at(-1)?.id ?? null;
    await compareRange(world, index, { after, upTo }, items, form, log);
    compared += items.length;
    if (stretch !== null || upTo === null) return compared;
    after = upTo;
  }
}

async function compareRange(
  { store, local, tenantId }: MirrorWorld,
  index: IndexName,
  range: { readonly after: string | null; readonly upTo: string | null },
  items: readonly PageItem[],
  form: (text: Uint8Array) => Uint8Array,
  log: DifferenceLog,
): Promise<void> {
  const there = new Set(items.map(({ id }) => id));
  for (let { after } = range; ; ) {
    const ids = await store.read.mirroredIds(tenantId, index, { ...range, after }, IDS);
    for (const id of ids) {
      if (!there.has(id)) log.add({ part: index, id, field: '', here: 'exists', there: null });
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < IDS) break;
    after = last;
  }
  const existing = await store.read.existingDocuments(tenantId, index, [...there]);
  for (const { id, text } of items) {
    if (!existing.has(id)) {
      log.add({ part: index, id, field: '', here: null, there: 'exists' });
      continue;
    }
    let remote: Record<string, unknown>;
    try {
      remote = JSON.parse(Buffer.from(form(text)).toString());
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      log.add({ part: index, id, field: '', here: 'exists', there: error.message });
      continue;
    }
    const stored = JSON.parse(Buffer.from(await local.get(tenantId, index, id)).toString());
    // The service dates documents that their source does not.
    if ((JSON.parse(Buffer.from(text).toString()).synced ?? null) === null) {
      remote['synced'] = stored.synced;
    }
    compareValues(stored, remote, { part: index, id }, '', log);
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
    if (last === undefined) return chosen.sort();
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
