// Anonymises what an export writes: documents, auth users and records of profile management. All use
// one replacement, so what refers to each other before does so afterwards.
// Invariant: a member that no table of field-kinds.ts lists is replaced, unless the caller keeps it.
import type { IndexName } from '../../query/query.ts';
import {
  AUTH_USER_KINDS,
  type FieldKind,
  fieldKind,
  isServiceName,
  recordFieldKind,
} from './field-kinds.ts';
import { KeyedHash } from './keyed-hash.ts';
import { Replacement } from './replacement.ts';

export interface AnonymiserOptions {
  /** At least 32 bytes. The same key and value give the same replacement. */
  readonly key: Uint8Array;
  /** Days added to every date; null: whole weeks into the past, which follow from the key. */
  readonly shiftDays: number | null;
  /**
   * Fields that stay in addition, such as `attributes.department`, of all documents, or
   * `identities.attributes.department`; `profiles.attributes.UID` and `authUsers.MEMBER`.
   */
  readonly keep: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;
type KindOf = (path: string) => FieldKind;

/** How an attribute of profiles is replaced: `day` is a date in a format of its own. */
export type ProfileValueKind = 'keep' | 'text' | 'value' | { readonly day: DayFormat };

/** Reads and writes days since 1970-01-01; `read` returns null for a text that is no date. */
export interface DayFormat {
  read(text: string): number | null;
  write(day: number): string;
}

const WEEK_DAYS = 7;
/** The shift is from four weeks to a year. */
const SHIFT_WEEKS_LEAST = 4;
const SHIFT_WEEKS = 49;

export class Anonymiser {
  /** Days that were added to every date. */
  readonly shiftDays: number;
  readonly #replacement: Replacement;
  readonly #keep: ReadonlySet<string>;
  /** The fields of `keep` that no record had so far. */
  readonly #unused: Set<string>;

  constructor({ key, shiftDays, keep }: AnonymiserOptions) {
    const hash = new KeyedHash(key);
    const weeks = SHIFT_WEEKS_LEAST + (hash.integer('shift', '') % SHIFT_WEEKS);
    this.shiftDays = shiftDays ?? -WEEK_DAYS * weeks;
    this.#replacement = new Replacement(hash, { shiftDays: this.shiftDays });
    this.#keep = new Set(keep);
    this.#unused = new Set(keep);
  }

  /** The fields of `keep` that no record had so far. */
  get unusedKeeps(): readonly string[] {
    return [...this.#unused];
  }

  document(index: IndexName, document: Json): Json {
    return this.#object(document, '', (path) =>
      this.#isKept(index, path) ? 'keep' : fieldKind(index, path),
    );
  }

  authUser(user: Json): Json {
    return this.#object(user, '', (path) =>
      this.#keeps(`authUsers.${path}`) ? 'keep' : (AUTH_USER_KINDS.get(path) ?? 'value'),
    );
  }

  /** @param wrapper the name that wraps such a record, such as `ne_attribute` */
  record(wrapper: string, record: Json): Json {
    return this.#object(record, '', (path) => recordFieldKind(wrapper, path));
  }

  /**
   * A profile in the form of an import.
   * @param kindOf how the values of an attribute are replaced
   */
  profile(profile: Json, kindOf: (uid: string) => ProfileValueKind): Json {
    const { attributes, ...members } = profile;
    const values = Object.entries((attributes ?? {}) as Json).map(([uid, value]) => {
      const kind = this.#keeps(`profiles.attributes.${uid}`) ? 'keep' : kindOf(uid);
      const replace = (item: unknown) => (typeof item === 'string' ? this.#item(item, kind) : item);
      return [uid, Array.isArray(value) ? value.map(replace) : replace(value)];
    });
    return { ...this.record('profile', members), attributes: Object.fromEntries(values) };
  }

  #item(item: string, kind: ProfileValueKind): string {
    if (kind === 'keep') return item;
    if (kind === 'text') return this.#replacement.freeText(item);
    if (kind === 'value') return this.#replacement.value(item);
    const day = kind.day.read(item);
    return day === null
      ? this.#replacement.value(item)
      : kind.day.write(this.#replacement.day(day));
  }

  #isKept(index: IndexName, path: string): boolean {
    if (this.#keep.size === 0) return false;
    return this.#keeps(path) || this.#keeps(`${index}.${path}`);
  }

  #keeps(field: string): boolean {
    if (!this.#keep.has(field)) return false;
    this.#unused.delete(field);
    return true;
  }

  #object(object: Json, path: string, kindOf: KindOf): Json {
    return Object.fromEntries(
      Object.entries(object).map(([name, value]) => {
        const inner = path === '' ? name : `${path}.${name}`;
        return [name, this.#value(value, inner, kindOf)];
      }),
    );
  }

  #value(value: unknown, path: string, kindOf: KindOf): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item, path, kindOf));
    if (typeof value === 'object' && value !== null) {
      return this.#object(value as Json, path, kindOf);
    }
    if (typeof value === 'string') return this.#text(value, kindOf(path));
    if (typeof value !== 'number') return value;
    const kind = kindOf(path);
    if (kind === 'keep') return value;
    return kind === 'date' ? this.#replacement.instant(value) : this.#replacement.number(value);
  }

  #text(value: string, kind: FieldKind): string {
    if (kind === 'keep' || (kind === 'value' && isServiceName(value))) return value;
    if (kind === 'text') return this.#replacement.freeText(value);
    return kind === 'date' ? this.#replacement.date(value) : this.#replacement.value(value);
  }
}
