// Importing profiles: lines shaped as the service shows profiles (contract/profiles.md section 4.1), bare or wrapped, with
// values as the API takes them. A profile is told by its id, else by its uid; one that is new keeps both, and its times.
// Invariant: a line that changes nothing writes nothing, so a file may be imported again and again.
import { strictIsoDate } from '../../analysis/values.ts';
import { auditEnding, type Write, type WriteAudit } from '../document-import.ts';
import { DocumentFault } from '../document-shape.ts';
import type { BatchResult, ImportEnding, ImportSteps, Prepared } from '../import-run.ts';
import { parseRecord } from '../record-line.ts';
import type { PutOutcome, WritableRecords } from '../store.ts';
import { type FieldErrors, isFaultless } from './faults.ts';
import type { Origin } from './profile-draft.ts';
import type { Profile } from './profile-records.ts';
import { type ProfileRequest, ProfileWriter } from './profile-writer.ts';
import { membersOf } from './record-reader.ts';
import { ShownNames } from './shown-names.ts';

/** A profile ready to be held against what is stored. */
export interface PreparedProfile {
  readonly body: ReadonlyMap<string, unknown>;
  /** null where the line names none. */
  readonly id: string | null;
  readonly uid: string | null;
  readonly origin: Origin;
  /** About as many as its line had. */
  readonly bytes: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class ProfileImport implements ImportSteps<PreparedProfile> {
  readonly #tenantId: string;
  readonly #clock: { now(): number };
  readonly #write: Write;
  readonly #audit: WriteAudit;

  constructor(tenantId: string, clock: { now(): number }, write: Write, audit: WriteAudit) {
    this.#tenantId = tenantId;
    this.#clock = clock;
    this.#write = write;
    this.#audit = audit;
  }

  prepare(text: Uint8Array | string): PreparedProfile {
    const value = parseRecord(text);
    const wrapped = value['profile'];
    const body = wrapped === undefined ? membersOf(value) : membersOf(wrapped);
    if (body === null) throw new DocumentFault('profile must be an object');
    const id = keyIn(body, 'id')?.toLowerCase() ?? null;
    const uid = keyIn(body, 'uid');
    if (id === null && uid === null) {
      throw new DocumentFault('id and uid are missing: one of them tells which profile it is');
    }
    if (id !== null && !UUID.test(id)) throw new DocumentFault('id must be a UUID');
    const createdAt = timeIn(body, 'created_at');
    const updatedAt = timeIn(body, 'updated_at') ?? createdAt;
    const origin = {
      ...(id === null ? {} : { id }),
      ...(createdAt === null ? {} : { createdAt }),
      ...(updatedAt === null ? {} : { updatedAt }),
    };
    return { body, id, uid, origin, bytes: text.length };
  }

  bytes({ bytes }: PreparedProfile): number {
    return bytes;
  }

  write(
    batch: readonly Prepared<PreparedProfile>[],
    ending: ImportEnding | null,
  ): Promise<BatchResult> {
    return this.#write(async (records) => {
      const run = new BatchRun(records, this.#tenantId, new Date(this.#clock.now()).toISOString());
      const outcomes = await run.write(batch.map(({ item }) => item));
      if (ending !== null) await auditEnding(records, ending, outcomes, this.#audit);
      return { outcomes, sequence: await records.lastSequence() };
    });
  }
}

/** One batch while its transaction lasts. */
class BatchRun {
  readonly #records: WritableRecords;
  readonly #tenantId: string;
  readonly #now: string;
  #outcomes: (PutOutcome | DocumentFault)[] = [];

  constructor(records: WritableRecords, tenantId: string, now: string) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#now = now;
  }

  /**
   * In rounds: lines that name one profile twice follow one another, and a line that was refused is tried again as long
   * as others were written, since it may point to them.
   */
  async write(items: readonly PreparedProfile[]): Promise<(PutOutcome | DocumentFault)[]> {
    this.#outcomes = [];
    let pending = items.map((item, place) => ({ item, place }));
    while (pending.length > 0) {
      const [round, later] = apart(pending);
      const refused = await this.#round(round);
      if (refused.length === round.length && later.length === 0) break;
      pending = [...refused, ...later].sort((a, b) => a.place - b.place);
    }
    return this.#outcomes;
  }

  /** Writes all that hold, and answers those that do not. */
  async #round(round: readonly Placed[]): Promise<Placed[]> {
    const requests = await this.#requestsOf(round);
    const refused: Placed[] = [];
    let left = round.map((placed, i) => ({ placed, request: requests[i] as ProfileRequest }));
    for (;;) {
      const names = new ShownNames(this.#records, this.#tenantId);
      const writer = new ProfileWriter(this.#records, this.#tenantId, this.#now, names);
      const { drafts, changed } = await writer.write(left.map(({ request }) => request));
      const faultless = left.filter((_, i) => isFaultless(drafts[i]?.errors ?? {}));
      if (faultless.length === left.length) {
        const written = new Set(changed.map(({ id }) => id));
        for (const [i, { placed, request }] of left.entries()) {
          const unchanged = !written.has(drafts[i]?.profile.id ?? '');
          const outcome = request.before === null ? 'created' : 'updated';
          this.#outcomes[placed.place] = unchanged ? 'unchanged' : outcome;
        }
        return refused;
      }
      for (const [i, { placed, request }] of left.entries()) {
        const errors = drafts[i]?.errors ?? {};
        if (isFaultless(errors)) continue;
        this.#outcomes[placed.place] = new DocumentFault(reasonOf(errors, request));
        refused.push(placed);
      }
      left = faultless;
    }
  }

  async #requestsOf(round: readonly Placed[]): Promise<readonly ProfileRequest[]> {
    const keys = round.flatMap(({ item: { id, uid } }) => [id, uid].filter((key) => key !== null));
    const found = await this.#records.profilesByKey(this.#tenantId, keys);
    const byId = new Map(found.map((profile) => [profile.id, profile]));
    const byUid = new Map(found.map((profile) => [profile.uid, profile]));
    return round.map(({ item: { body, id, uid, origin } }) => {
      const before: Profile | undefined = byId.get(id ?? '') ?? byUid.get(uid ?? '');
      return { body, before: before ?? null, origin };
    });
  }
}

interface Placed {
  readonly item: PreparedProfile;
  /** In the batch. */
  readonly place: number;
}

/** Those that name a profile no earlier one names, and the others. */
function apart(pending: readonly Placed[]): [Placed[], Placed[]] {
  const seen = new Set<string>();
  const [first, later]: [Placed[], Placed[]] = [[], []];
  for (const placed of pending) {
    const keys = [placed.item.id, placed.item.uid].filter((key) => key !== null);
    (keys.some((key) => seen.has(key)) ? later : first).push(placed);
    for (const key of keys) seen.add(key);
  }
  return [first, later];
}

/** `status is not included in the list; sponsor "Ada" was not found`. */
function reasonOf(errors: FieldErrors, { body }: ProfileRequest): string {
  return Object.entries(errors)
    .map(([member, sentences]) => {
      if (member === 'possible_duplicates') {
        const [twins] = sentences as [readonly { readonly id: string }[]];
        return `is a duplicate of ${twins.map(({ id }) => id).join(', ')}`;
      }
      const type = member === 'profile_type_id' ? body.get(member) : undefined;
      const quoted = typeof type === 'string' ? ` ${JSON.stringify(type.slice(0, 80))}` : '';
      return `${member}${quoted} ${sentences.join(', ')}`;
    })
    .join('; ');
}

function keyIn(body: ReadonlyMap<string, unknown>, name: string): string | null {
  const value = body.get(name) ?? '';
  if (typeof value !== 'string') throw new DocumentFault(`${name} must be a string`);
  return value.trim() === '' ? null : value;
}

function timeIn(body: ReadonlyMap<string, unknown>, name: string): string | null {
  const value = body.get(name) ?? '';
  if (value === '') return null;
  const time = typeof value === 'string' ? strictIsoDate(value) : undefined;
  if (time === undefined) throw new DocumentFault(`${name} must be an ISO 8601 date-time`);
  return new Date(time).toISOString();
}
