// Imports profiles: lines in the format that the service shows (contract/profiles.md section 4.1),
// bare or wrapped, with values as the API accepts them. A profile is identified by its id,
// otherwise by its uid; a new one keeps both, and its times. A line with an id is the copy of a
// profile that another tenant accepted, so it is restored without the checks of new values. Lines
// with other records of profile management, such as the types of these profiles, go to
// resources/resource-import.ts.
// Invariant: a line that changes nothing writes nothing, so importing a file again is harmless.
import { strictIsoDate } from '../../query/analysis/values.ts';
import { DocumentFault } from '../documents/document-shape.ts';
import type { ImportSteps, ItemOutcome } from '../documents/import-run.ts';
import { parseRecord } from '../documents/record-line.ts';
import type { Profile } from '../ports/profile-records.ts';
import type { WritableRecords } from '../ports/store.ts';
import { ProfileWriter } from './profile-writer.ts';
import { ResourceImport, type SentRecord, wrappedRecord } from './resource-import.ts';
import { type FieldErrors, isFaultless } from './resources/faults.ts';
import { membersOf } from './resources/members-of.ts';
import type { Origin, ProfileRequest } from './values/profile-draft.ts';
import { ShownNames } from './values/shown-names.ts';

/** A line: a profile, or another record. */
export type PreparedLine = PreparedProfile | PreparedRecord;

interface PreparedRecord {
  readonly record: SentRecord;
  /** Size of its line. */
  readonly bytes: number;
}

/** A profile that is ready to be compared with the stored one. */
interface PreparedProfile {
  readonly record: null;
  readonly body: ReadonlyMap<string, unknown>;
  /** null if the line has none. */
  readonly id: string | null;
  readonly uid: string | null;
  readonly origin: Origin;
  /** Size of its line, approximately. */
  readonly bytes: number;
  /** Uids of attachments that were left out; set when the profile is written. */
  attachments: readonly string[];
}

/** `as sent`: as its line says, for copies of another service. */
export type UpdateTimes = 'now' | 'as sent';

/** How often rejected lines are retried: the depth of references between profiles of one batch. */
const RETRIES_MAX = 3;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class ProfileImport implements ImportSteps<PreparedLine> {
  readonly #tenantId: string;
  readonly #clock: { now(): number };
  readonly #times: UpdateTimes;

  /** @param times when a profile that an import changes was changed */
  constructor(tenantId: string, clock: { now(): number }, times: UpdateTimes = 'now') {
    this.#tenantId = tenantId;
    this.#clock = clock;
    this.#times = times;
  }

  prepare(text: Uint8Array | string): PreparedLine {
    const value = parseRecord(text);
    const record = wrappedRecord(value);
    if (record !== null) return { record, bytes: text.length };
    const wrapped = value['profile'];
    const body = wrapped === undefined ? membersOf(value) : membersOf(wrapped);
    if (body === null) throw new DocumentFault('profile must be an object');
    const id = keyIn(body, 'id')?.toLowerCase() ?? null;
    const uid = keyIn(body, 'uid');
    if (id === null && uid === null) {
      throw new DocumentFault(
        'id and uid are missing: one of them is needed to identify the profile',
      );
    }
    if (id !== null && !UUID.test(id)) throw new DocumentFault('id must be a UUID');
    const createdAt = importedTime(body.get('created_at'), 'created_at');
    const updatedAt = importedTime(body.get('updated_at'), 'updated_at') ?? createdAt;
    const origin = {
      ...(id === null ? {} : { id }),
      ...(createdAt === null ? {} : { createdAt }),
      ...(updatedAt === null ? {} : { updatedAt }),
    };
    return { record: null, body, id, uid, origin, bytes: text.length, attachments: [] };
  }

  bytes({ bytes }: PreparedLine): number {
    return bytes;
  }

  warningOf(item: PreparedLine): string | null {
    if (item.record !== null || item.attachments.length === 0) return null;
    return `attachments are not imported: ${item.attachments.join(', ')}`;
  }

  async write(records: WritableRecords, batch: readonly PreparedLine[]): Promise<ItemOutcome[]> {
    const now = new Date(this.#clock.now()).toISOString();
    const others = new ResourceImport(records, this.#tenantId, now);
    const outcomes: ItemOutcome[] = [];
    let profiles: PreparedProfile[] = [];
    const writeProfiles = async () => {
      const run = new BatchRun(records, this.#tenantId, { now, times: this.#times });
      outcomes.push(...(await run.write(profiles)));
      profiles = [];
    };
    for (const item of batch) {
      if (item.record === null) {
        profiles.push(item);
        continue;
      }
      // Profiles of earlier lines are written first, as the record may refer to them.
      if (profiles.length > 0) await writeProfiles();
      outcomes.push(await others.put(item.record));
    }
    if (profiles.length > 0) await writeProfiles();
    return outcomes;
  }
}

/** The writes of one batch in its transaction. */
class BatchRun {
  readonly #records: WritableRecords;
  readonly #tenantId: string;
  readonly #now: string;
  readonly #times: UpdateTimes;
  #outcomes: ItemOutcome[] = [];

  constructor(
    records: WritableRecords,
    tenantId: string,
    { now, times }: { readonly now: string; readonly times: UpdateTimes },
  ) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#now = now;
    this.#times = times;
  }

  /**
   * Writes in rounds: lines about one profile are written one after the other, and rejected lines
   * are retried after others were written, as they may refer to those.
   */
  async write(items: readonly PreparedProfile[]): Promise<ItemOutcome[]> {
    this.#outcomes = [];
    let pending: readonly PlacedItem[] = items.map((item, place) => ({ item, place }));
    for (let retries = RETRIES_MAX; pending.length > 0; ) {
      const [round, later] = splitRepeated(await this.#requestsOf(pending));
      const { refused, wrote } = await this.#round(round);
      const again = wrote && refused.length > 0 && retries-- > 0 ? refused : [];
      const left = [...again, ...later.map(({ placed }) => placed)];
      pending = left.sort((a, b) => a.place - b.place);
    }
    return this.#outcomes;
  }

  /** Writes all valid profiles; returns the rejected ones and whether anything changed. */
  async #round(
    round: readonly PlacedRequest[],
  ): Promise<{ refused: PlacedItem[]; wrote: boolean }> {
    const refused: PlacedItem[] = [];
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
          placed.item.attachments = drafts[i]?.attachments ?? [];
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

  /** Pairs each with its stored profile: by its id, otherwise by its uid; copies by their id. */
  async #requestsOf(pending: readonly PlacedItem[]): Promise<readonly PlacedRequest[]> {
    const keys = pending.flatMap(({ item }) => [item.id, item.uid].filter((key) => key !== null));
    const stored = await this.#records.profilesByKey(this.#tenantId, keys);
    const byId = new Map(stored.map((profile) => [profile.id, profile]));
    const byUid = new Map(stored.map((profile) => [profile.uid, profile]));
    return pending.map((placed) => {
      const { body, id, uid, origin } = placed.item;
      const isCopy = this.#times === 'as sent';
      // The other service may have given a uid to a new profile after it deleted the old one.
      const before: Profile | undefined =
        byId.get(id ?? '') ?? (isCopy ? undefined : byUid.get(uid ?? ''));
      const { updatedAt } = origin;
      const keeps = isCopy && updatedAt !== undefined;
      const request = { body, before: before ?? null, origin, restores: id !== null };
      return { placed, request: keeps ? { ...request, changedAt: updatedAt } : request };
    });
  }
}

interface PlacedItem {
  readonly item: PreparedProfile;
  /** Index in the batch. */
  readonly place: number;
}

interface PlacedRequest {
  readonly placed: PlacedItem;
  readonly request: ProfileRequest;
}

/** Splits into the first request for each profile, and the others. */
function splitRepeated(requests: readonly PlacedRequest[]): [PlacedRequest[], PlacedRequest[]] {
  const seen = new Set<string>();
  const [first, later]: [PlacedRequest[], PlacedRequest[]] = [[], []];
  for (const one of requests) {
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

/**
 * The time that an import stores, ISO 8601 in UTC with milliseconds; null: none is given.
 * @param name of the member, for the error
 * @throws DocumentFault if it is not an ISO 8601 date-time
 */
export function importedTime(value: unknown, name: string): string | null {
  if ((value ?? '') === '') return null;
  const time = typeof value === 'string' ? strictIsoDate(value) : undefined;
  if (time === undefined) throw new DocumentFault(`${name} must be an ISO 8601 date-time`);
  return new Date(time).toISOString();
}
