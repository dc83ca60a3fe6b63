// Holds a parsed document against its mapping: each mapped value must convert to the type of its field, and is
// brought to the JSON type of that field (`"false"` → false, epoch milliseconds → ISO text). Dynamic maps are
// lenient: the first type under a name decides, whatever does not convert later stays in the source.
// Invariant: a document is changed in place or refused, never half of it dropped.
import { strictIsoDate } from '../../analysis/values.ts';
import type { Field, FieldType, Mapping } from '../../query/mapping/mapping.ts';

/** Why a document is refused; the message names the member. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** Characters of a new field's path; PostgreSQL indexes no more than some 2,700 bytes. */
const PATH_MAX = 512;

type JsonObject = Record<string, unknown>;

/** What may stand at one place of a document. */
interface Place {
  readonly path: string;
  /** A leaf's type; null for objects. */
  type: FieldType | null;
  /** An array of correlated objects. */
  table: boolean;
  /** New leaves may appear below. */
  dynamic: boolean;
  /** The nested path it lies in. */
  nested: string | null;
  children: Map<string, Place> | null;
}

/** The mapping as a tree, with what is known of the dynamic maps. One import owns one. */
export class DocumentShape {
  readonly #root: Place;
  /** Dynamic paths: whether a value or an object stands there. */
  readonly #known = new Map<string, 'leaf' | 'object'>();
  #leaves = 0;
  #candidates: Field[] = [];
  #changed = false;

  constructor(mapping: Mapping) {
    this.#root = newPlace('', null);
    for (const path of mapping.nestedPaths) this.#place(path, path).table = true;
    for (const path of mapping.dynamicRoots) {
      this.#place(path, nestedPathOf(mapping, path)).dynamic = true;
    }
    for (const field of mapping.fields.values()) {
      if (field.dynamic) this.#learn(field);
      else this.#place(field.path, field.nested).type = field.type;
    }
  }

  /**
   * Takes the fields as known that a document brings, as long as the index has no more than `limit` of them.
   * @returns those that were not known; one whose path is taken by something else is left out
   * @throws DocumentFault where they are too many or one is too long; then none is taken
   */
  accept(candidates: readonly Field[], limit: number): readonly Field[] {
    const fresh = candidates.filter((field) => !this.#blocked(field.path));
    const long = fresh.find(({ path }) => path.length > PATH_MAX);
    if (long !== undefined) {
      throw new DocumentFault(
        `${long.path.slice(0, 60)}… is a name of more than ${PATH_MAX} characters`,
      );
    }
    const last = fresh.at(-1);
    if (last !== undefined && this.#leaves + fresh.length > limit) {
      throw new DocumentFault(
        `brings ${fresh.length} new field names, of which ${last.path} would pass the limit of ${limit} for the index`,
      );
    }
    return fresh.filter((field) => this.#learn(field));
  }

  #learn(field: Field): boolean {
    if (this.#blocked(field.path)) return false;
    this.#known.set(field.path, 'leaf');
    for (
      let dot = field.path.lastIndexOf('.');
      dot > 0;
      dot = field.path.lastIndexOf('.', dot - 1)
    ) {
      this.#known.set(field.path.slice(0, dot), 'object');
    }
    this.#leaves++;
    return true;
  }

  /**
   * Checks one top-level member and converts its values in place.
   * @returns how many members its objects have
   * @throws DocumentFault
   */
  check(document: JsonObject, name: string): number {
    const place = this.#root.children?.get(name);
    const value = document[name];
    if (place === undefined) return countMembers(value);
    return this.#value(document, name, value, place);
  }

  /** Whether a value was converted since the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  /** The dynamic fields that were met and not known since the last call. */
  takeCandidates(): readonly Field[] {
    const candidates = this.#candidates;
    if (candidates.length > 0) this.#candidates = [];
    return candidates;
  }

  #value(
    holder: JsonObject | unknown[],
    key: string | number,
    value: unknown,
    place: Place,
  ): number {
    if (value === null) return 0;
    if (typeof value !== 'object') {
      if (place.type === null) throw mismatch(place, value, place.table ? 'an array' : 'an object');
      this.#leaf(holder as JsonObject, key as string, value, place, place.type);
      return 0;
    }
    if (Array.isArray(value)) {
      let members = 0;
      for (let i = 0; i < value.length; i++) {
        const element: unknown = value[i];
        if (
          place.table &&
          (typeof element !== 'object' || element === null || Array.isArray(element))
        ) {
          throw mismatch(place, element, 'objects');
        }
        members += place.table
          ? this.#object(element as JsonObject, place)
          : this.#value(value, i, element, place);
      }
      return members;
    }
    if (place.table && typeof key === 'string') throw mismatch(place, value, 'an array of objects');
    if (place.type !== null && place.children === null && !place.dynamic) {
      throw mismatch(place, value, EXPECTED[place.type]);
    }
    return this.#object(value as JsonObject, place);
  }

  #object(object: JsonObject, place: Place): number {
    let members = 0;
    const children = place.children;
    for (const key in object) {
      members++;
      const value = object[key];
      const child = children?.get(key);
      if (child !== undefined) members += this.#value(object, key, value, child);
      else if (place.dynamic) members += this.#dynamic(place, `${place.path}.${key}`, value);
      else if (typeof value === 'object') members += countMembers(value);
    }
    return members;
  }

  /** Notes the leaves below a dynamic root that are not known yet. */
  #dynamic(place: Place, path: string, value: unknown): number {
    if (value === null) return 0;
    if (typeof value === 'object' && !Array.isArray(value)) {
      let members = 0;
      const open = this.#known.get(path) !== 'leaf';
      for (const name in value) {
        members++;
        const below = (value as JsonObject)[name];
        members += open ? this.#dynamic(place, `${path}.${name}`, below) : countMembers(below);
      }
      return members;
    }
    if (Array.isArray(value)) {
      let members = 0;
      for (const element of value) members += this.#dynamic(place, path, element);
      return members;
    }
    if (!this.#known.has(path) && !NAMELESS.test(path)) {
      const { nested } = place;
      const candidate = { path, type: typeOf(value), nested, dynamic: true };
      if (!this.#candidates.some((other) => other.path === path)) this.#candidates.push(candidate);
    }
    return 0;
  }

  #leaf(holder: JsonObject, key: string, value: unknown, place: Place, type: FieldType): void {
    if (typeof value === 'string' && (type === 'text' || type === 'keyword')) return;
    const converted = convert(value, type);
    if (converted === undefined) throw mismatch(place, value, EXPECTED[type]);
    if (converted === value) return;
    holder[key] = converted;
    this.#changed = true;
  }

  #blocked(path: string): boolean {
    if (this.#known.has(path)) return true;
    for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
      if (this.#known.get(path.slice(0, dot)) === 'leaf') return true;
    }
    return false;
  }

  #place(path: string, nested: string | null): Place {
    let place = this.#root;
    let at = '';
    for (const name of path.split('.')) {
      at = at === '' ? name : `${at}.${name}`;
      place.children ??= new Map();
      let child = place.children.get(name);
      if (child === undefined) {
        child = newPlace(at, nested !== null && at.length >= nested.length ? nested : null);
        place.children.set(name, child);
      }
      place = child;
    }
    return place;
  }
}

/** How many members the objects in a JSON value have, at all levels. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element);
    return members;
  }
  for (const key in value) members += 1 + countMembers((value as JsonObject)[key]);
  return members;
}

/** A path with a part that is empty or blank: no engine has a field of that name, so the value is not indexed. */
const NAMELESS = /(?:^|\.)\s*(?:\.|$)/;

const EXPECTED: Record<FieldType, string> = {
  text: 'a string',
  keyword: 'a string',
  date: 'an ISO 8601 date or epoch milliseconds',
  long: 'an integer',
  double: 'a number',
  boolean: 'true or false',
};

/** The value in the JSON type of its field; undefined where it has none. */
function convert(value: unknown, type: FieldType): unknown {
  switch (type) {
    case 'text':
    case 'keyword':
      return typeof value === 'string' ? value : String(value);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      return value === 'true' ? true : value === 'false' ? false : undefined;
    case 'long': {
      const number =
        typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'double':
      if (typeof value === 'number') return value;
      return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)
        ? Number(value)
        : undefined;
    case 'date':
      return convertDate(value);
  }
}

/** Farthest instant a Date can hold (ECMA-262, section 21.4.1.1). */
const DATE_MS_MAX = 8.64e15;

function convertDate(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (isPlainInstant(value) || strictIsoDate(value) !== undefined) return value;
    if (!/^-?\d{5,15}$/.test(value)) return undefined;
  }
  const ms = Number(value);
  if (typeof value === 'boolean' || !Number.isSafeInteger(ms)) return undefined;
  if (Math.abs(ms) > DATE_MS_MAX) return undefined;
  // A year beyond 9999 prints in a form that is not a strict date.
  const text = new Date(ms).toISOString();
  return strictIsoDate(text) === undefined ? undefined : text;
}

/** The form nearly all dates have, `2024-05-01T10:00:00.000Z`, by a glance; others are parsed. */
function isPlainInstant(text: string): boolean {
  if (text.length !== 24 || text.charCodeAt(23) !== 0x5a || text.charCodeAt(10) !== 0x54)
    return false;
  for (let i = 0; i < 23; i++) {
    const unit = text.charCodeAt(i);
    if (i === 4 || i === 7) {
      if (unit !== 0x2d) return false;
    } else if (i === 13 || i === 16) {
      if (unit !== 0x3a) return false;
    } else if (i === 19) {
      if (unit !== 0x2e) return false;
    } else if (i !== 10 && (unit < 0x30 || unit > 0x39)) return false;
  }
  const two = (at: number) => (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
  const month = two(5);
  const day = two(8);
  // The 29th to the 31st need a calendar: strictIsoDate has one.
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    two(11) < 24 &&
    two(14) < 60 &&
    two(17) < 60
  );
}

function typeOf(value: unknown): FieldType {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'long' : 'double';
  return 'text';
}

function mismatch(place: Place, value: unknown, expected: string): DocumentFault {
  const text = JSON.stringify(value) ?? '';
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return new DocumentFault(`${place.path} must be ${expected}, not ${shown}`);
}

function newPlace(path: string, nested: string | null): Place {
  return { path, type: null, table: false, dynamic: false, nested, children: null };
}

function nestedPathOf(mapping: Mapping, path: string): string | null {
  return mapping.nestedPaths.find((nested) => path.startsWith(`${nested}.`)) ?? null;
}
