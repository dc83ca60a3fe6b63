// Importing profiles: lines shaped as the service shows profiles (contract/profiles.md section
// 4.1), bare or wrapped, with values as the API takes them. A profile is told by its id, else by
// its uid; one that is new keeps both, and its times.
// Invariant: a line that changes nothing writes nothing, so a file may be imported again and again.
import { strictIsoDate } from '../../analysis/values.ts';
import { auditEnding, type Write, type WriteAudit } from '../documents/document-import.ts';
import { DocumentFault } from '../documents/document-shape.ts';
import type { BatchResult, ImportEnding, ImportSteps, Prepared } from '../documents/import-run.ts';
import { parseRecord } from '../documents/record-line.ts';
import type { Profile } from '../ports/profile-records.ts';
import type { PutOutcome, WritableRecords } from '../ports/store.ts';
import { type FieldErrors, isFaultless } from './faults.ts';
import type { Origin } from './profile-draft.ts';
import { type ProfileRequest, ProfileWriter } from './profile-writer.ts';
import { membersOf } from './resources/record-reader.ts';
import { ShownNames } from './values/shown-names.ts';

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

/**
 * How often lines that were refused are tried again: as deep as what they point to may point on.
 */
const RETRIES_MAX = 3;
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
   * In rounds: lines about one profile follow one another, and lines that were refused are tried
   * again after others were written, since they may point to them.
   */
  async write(items: readonly PreparedProfile[]): Promise<(PutOutcome | DocumentFault)[]> {
    this.#outcomes = [];
    let pending: readonly Placed[] = items.map((item, place) => ({ item, place }));
    for (let retries = RETRIES_MAX; pending.length > 0; ) {
      const [round, later] = apart(await this.#requestsOf(pending));
      const { refused, wrote } = await this.#round(round);
      const again = wrote && refused.length > 0 && retries-- > 0 ? refused : [];
      const left = [...again, ...later.map(({ placed }) => placed)];
      pending = left.sort((a, b) => a.place - b.place);
    }
    return this.#outcomes;
  }

  /** Writes all that hold; tells whether anything changed, and those that do not hold. */
  async #round(round: readonly Asked[]): Promise<{ refused: Placed[]; wrote: boolean }> {
    const refused: Placed[] = [];
    for (let left = round; ; ) {
      const names = new ShownNames(this.#records, this.#tenantId);
      const writer = new ProfileWriter(this.#records, this.#tenantId, this.#now, names);
      const { drafts, changed } = await writer.write(left.map(({ request }) => request));
      const errorsOf = (i: number) => drafts[i]?.errors ?? {};
      const faultless = left.filter((_, i) => isFaultless(errorsOf(i)));
      if (faultless.length === left.length) {
        const written = new Set(changed.map(({ after }) => after.id));
        for (const [i, { placed, request }] of left.entries()) {
          const unchanged = !written.has(drafts[i]?.profile.id ?? '');
          const outcome = request.before === null ? 'created' : 'updated';
          this.#outcomes[placed.place] = unchanged ? 'unchanged' : outcome;
        }
        return { refused, wrote: changed.length > 0 };
      }
      for (const [i, { placed, request }] of left.entries()) {
        if (isFaultless(errorsOf(i))) continue;
        this.#outcomes[placed.place] = new DocumentFault(reasonOf(errorsOf(i), request));
        refused.push(placed);
      }
      left = faultless;
    }
  }

  /** Each with what is stored of it: by its id, else by its uid. */
  async #requestsOf(pending: readonly Placed[]): Promise<readonly Asked[]> {
    const keys = pending.flatMap(({ item }) => [item.id, item.uid].filter((key) => key !== null));
    const found = await this.#records.profilesByKey(this.#tenantId, keys);
    const byId = new Map(found.map((profile) => [profile.id, profile]));
    const byUid = new Map(found.map((profile) => [profile.uid, profile]));
    return pending.map((placed) => {
      const { body, id, uid, origin } = placed.item;
      const before: Profile | undefined = byId.get(id ?? '') ?? byUid.get(uid ?? '');
      return { placed, request: { body, before: before ?? null, origin } };
    });
  }
}

interface Placed {
  readonly item: PreparedProfile;
  /** In the batch. */
  readonly place: number;
}

interface Asked {
  readonly placed: Placed;
  readonly request: ProfileRequest;
}

/** Those that are about a profile no earlier one is about, and the others. */
function apart(asked: readonly Asked[]): [Asked[], Asked[]] {
  const seen = new Set<string>();
  const [first, later]: [Asked[], Asked[]] = [[], []];
  for (const one of asked) {
    const { item } = one.placed;
    const { before } = one.request;
    const keys = [item.id, item.uid, before?.id, before?.uid].flatMap((key) => key ?? []);
    (keys.some((key) => seen.has(key)) ? later : first).push(one);
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
