// Checks a parsed document against its mapping: each mapped value must convert to its field's type,
// and is replaced by that JSON type (`"false"` → false, epoch milliseconds → ISO text). Dynamic
// maps take every value: the kind of a name widens until it has all of them. What is an object where
// others have a value, or a value where others have an object, stays in the source only.
// Invariant: a document is converted in place or rejected, never partly dropped.
import { strictIsoDate } from '../../query/analysis/values.ts';
import {
  type Field,
  type FieldType,
  kindOf,
  type Mapping,
  widerKind,
} from '../../query/mapping/mapping.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { bareDocument } from './bare-document.ts';

/** The reason for rejecting a document; the message names the member. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** Maximum length of a new field's path; PostgreSQL indexes at most about 2,700 bytes. */
const PATH_MAX = 512;

type JsonObject = Record<string, unknown>;

/** A dynamic field as an import records it. */
export interface LearntField extends Field {
  /** The narrower kind that it had; missing for a new field. */
  readonly before?: FieldType;
}

/** The allowed values at one path of a document. */
interface PathNode {
  readonly path: string;
  /** Type of a leaf; null for objects. */
  type: FieldType | null;
  /** An array of correlated objects. */
  table: boolean;
  /** Whether new leaves may appear below. */
  dynamic: boolean;
  /** The nested path that contains it. */
  nested: string | null;
  children: Map<string, PathNode> | null;
}

/** The mapping as a tree, plus the dynamic fields seen so far. Each import has its own. */
export class DocumentShape {
  readonly #root: PathNode;
  /** Dynamic paths: the kind of their values, or `object`. */
  readonly #paths = new Map<string, FieldType | 'object'>();
  #leaves = 0;
  #candidates: Field[] = [];
  #misplaced = new Set<string>();
  #changed = false;

  constructor(mapping: Mapping) {
    this.#root = newNode('', null);
    for (const path of mapping.nestedPaths) this.#node(path, path).table = true;
    for (const path of mapping.dynamicRoots) {
      this.#node(path, nestedPathOf(mapping, path)).dynamic = true;
    }
    for (const field of mapping.fields.values()) {
      if (field.dynamic) this.#register(field);
      else this.#node(field.path, field.nested).type = field.type;
    }
  }

  /**
   * Registers the new fields of a document, if the index has room for them, and wider kinds.
   * @returns the fields that were new or became wider; a field whose path is in use is left out
   * @throws DocumentFault when there are too many or one is too long; then none is registered
   */
  accept(candidates: readonly Field[], limit: number): readonly LearntField[] {
    const fresh = candidates.filter((field) => !this.#isTaken(field.path));
    const long = fresh.find(({ path }) => path.length > PATH_MAX);
    if (long !== undefined) {
      throw new DocumentFault(
        `${long.path.slice(0, 60)}… is a name of more than ${PATH_MAX} characters`,
      );
    }
    const last = fresh.at(-1);
    if (last !== undefined && this.#leaves + fresh.length > limit) {
      throw new DocumentFault(
        `brings ${fresh.length} new field names, of which ${last.path} would exceed the limit of ${limit} for the index`,
      );
    }
    return candidates.flatMap((field) => (this.#register(field) ? field : this.#widen(field)));
  }

  #register(field: Field): boolean {
    if (this.#isTaken(field.path)) return false;
    this.#paths.set(field.path, field.type);
    for (
      let dot = field.path.lastIndexOf('.');
      dot > 0;
      dot = field.path.lastIndexOf('.', dot - 1)
    ) {
      this.#paths.set(field.path.slice(0, dot), 'object');
    }
    this.#leaves++;
    return true;
  }

  /** The field with the kind that it has from now on; none if it stays as it was. */
  #widen(field: Field): readonly LearntField[] {
    const known = this.#paths.get(field.path);
    if (known === undefined || known === 'object') return [];
    const type = widerKind(known, field.type);
    if (type === known) return [];
    this.#paths.set(field.path, type);
    return [{ ...field, type, before: known }];
  }

  /**
   * Checks one top-level member and converts its values in place.
   * @returns the number of members of its objects
   * @throws DocumentFault
   */
  check(document: JsonObject, name: string): number {
    const node = this.#root.children?.get(name);
    const value = document[name];
    if (node === undefined) return countMembers(value);
    return this.#value(document, name, value, node);
  }

  /** Whether a value was converted since the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  /** The dynamic fields seen since the last call that are new or wider than their kind. */
  takeCandidates(): readonly Field[] {
    const candidates = this.#candidates;
    if (candidates.length > 0) this.#candidates = [];
    return candidates;
  }

  /**
   * Dynamic paths since the last call that have an object where others have a value, or a value where
   * others have an object.
   */
  takeMisplaced(): readonly string[] {
    if (this.#misplaced.size === 0) return NONE;
    const misplaced = [...this.#misplaced];
    this.#misplaced.clear();
    return misplaced;
  }

  #value(
    holder: JsonObject | unknown[],
    key: string | number,
    value: unknown,
    node: PathNode,
  ): number {
    if (value === null) return 0;
    if (typeof value !== 'object') {
      if (node.type === null) throw mismatch(node, value, node.table ? 'an array' : 'an object');
      this.#leaf(holder as JsonObject, key as string, value, node, node.type);
      return 0;
    }
    if (Array.isArray(value)) {
      let members = 0;
      for (let i = 0; i < value.length; i++) {
        const element: unknown = value[i];
        if (
          node.table &&
          (typeof element !== 'object' || element === null || Array.isArray(element))
        ) {
          throw mismatch(node, element, 'objects');
        }
        members += node.table
          ? this.#object(element as JsonObject, node)
          : this.#value(value, i, element, node);
      }
      return members;
    }
    if (node.table && typeof key === 'string') throw mismatch(node, value, 'an array of objects');
    if (node.type !== null && node.children === null && !node.dynamic) {
      throw mismatch(node, value, EXPECTED[node.type]);
    }
    return this.#object(value as JsonObject, node);
  }

  #object(object: JsonObject, node: PathNode): number {
    let members = 0;
    const children = node.children;
    for (const key in object) {
      members++;
      const value = object[key];
      const child = children?.get(key);
      if (child !== undefined) members += this.#value(object, key, value, child);
      else if (node.dynamic) members += this.#dynamic(node, `${node.path}.${key}`, value);
      else if (typeof value === 'object') members += countMembers(value);
    }
    return members;
  }

  /** Collects unknown leaves below a dynamic root. */
  #dynamic(node: PathNode, path: string, value: unknown): number {
    if (value === null) return 0;
    if (typeof value === 'object' && !Array.isArray(value)) {
      let members = 0;
      const kind = this.#paths.get(path);
      const open = kind === undefined || kind === 'object';
      if (!open) this.#misplaced.add(path);
      for (const name in value) {
        members++;
        const below = (value as JsonObject)[name];
        members += open ? this.#dynamic(node, `${path}.${name}`, below) : countMembers(below);
      }
      return members;
    }
    if (Array.isArray(value)) {
      let members = 0;
      for (const element of value) members += this.#dynamic(node, path, element);
      return members;
    }
    const scalar = value as string | number | boolean;
    const known = this.#paths.get(path);
    if (known === 'object') this.#misplaced.add(path);
    if (known === 'text' || known === 'object') return 0;
    const kind = kindOf(scalar);
    const type = known === undefined ? kind : widerKind(known, kind);
    if (type === known || (known === undefined && NAMELESS.test(path))) return 0;
    const at = this.#candidates.findIndex((other) => other.path === path);
    const before = this.#candidates[at];
    if (before === undefined) {
      this.#candidates.push({ path, type, nested: node.nested, dynamic: true });
    } else this.#candidates[at] = { ...before, type: widerKind(before.type, type) };
    return 0;
  }

  #leaf(holder: JsonObject, key: string, value: unknown, node: PathNode, type: FieldType): void {
    if (typeof value === 'string' && (type === 'text' || type === 'keyword')) return;
    const converted = convert(value, type);
    if (converted === undefined) throw mismatch(node, value, EXPECTED[type]);
    if (converted === value) return;
    holder[key] = converted;
    this.#changed = true;
  }

  #isTaken(path: string): boolean {
    if (this.#paths.has(path)) return true;
    for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
      const above = this.#paths.get(path.slice(0, dot));
      if (above !== undefined && above !== 'object') return true;
    }
    return false;
  }

  #node(path: string, nested: string | null): PathNode {
    let node = this.#root;
    let at = '';
    for (const name of path.split('.')) {
      at = at === '' ? name : `${at}.${name}`;
      node.children ??= new Map();
      let child = node.children.get(name);
      if (child === undefined) {
        child = newNode(at, nested !== null && at.length >= nested.length ? nested : null);
        node.children.set(name, child);
      }
      node = child;
    }
    return node;
  }
}

/** The dynamic fields of a stored document that a shape lacks, or has with too narrow a kind. */
export function fieldsBeyond(shape: DocumentShape, document: StoredDocument): readonly Field[] {
  const value = objectOf(document);
  for (const name of Object.keys(value)) {
    try {
      shape.check(value, name);
    } catch (error) {
      // A member that an earlier version accepted.
      if (!(error instanceof DocumentFault)) throw error;
    }
  }
  return shape.takeCandidates();
}

/** A document as an object; without members if it is not JSON, as no import has accepted it then. */
function objectOf(document: StoredDocument): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.concat(bareDocument(document)).toString());
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The number of members of all objects in a JSON value, at all levels. */
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

/** A path with an empty or blank part: no engine has such a field, so the value is not indexed. */
const NAMELESS = /(?:^|\.)\s*(?:\.|$)/;

const NONE: readonly string[] = [];

const EXPECTED: Record<FieldType, string> = {
  text: 'a string',
  keyword: 'a string',
  date: 'an ISO 8601 date or epoch milliseconds',
  long: 'an integer',
  double: 'a number',
  boolean: 'true or false',
};

/** The value in the JSON type of its field; undefined if it does not convert. */
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

/** Maximum instant of a Date (ECMA-262, section 21.4.1.1). */
const DATE_MS_MAX = 8.64e15;

function convertDate(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (isPlainInstant(value) || strictIsoDate(value) !== undefined) return value;
    if (!/^-?\d{5,15}$/.test(value)) return undefined;
  }
  const ms = Number(value);
  if (typeof value === 'boolean' || !Number.isSafeInteger(ms)) return undefined;
  if (Math.abs(ms) > DATE_MS_MAX) return undefined;
  // toISOString prints years beyond 9999 in a form that is not a strict date.
  const text = new Date(ms).toISOString();
  return strictIsoDate(text) === undefined ? undefined : text;
}

/** A fast check for the usual form, `2024-05-01T10:00:00.000Z`; other dates are parsed. */
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
  // Days 29 to 31 depend on the month: leave them to strictIsoDate.
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

function mismatch(node: PathNode, value: unknown, expected: string): DocumentFault {
  const text = JSON.stringify(value) ?? '';
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return new DocumentFault(`${node.path} must be ${expected}, not ${shown}`);
}

function newNode(path: string, nested: string | null): PathNode {
  return { path, type: null, table: false, dynamic: false, nested, children: null };
}

function nestedPathOf(mapping: Mapping, path: string): string | null {
  return mapping.nestedPaths.find((nested) => path.startsWith(`${nested}.`)) ?? null;
}
