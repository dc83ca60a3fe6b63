// Documents without hidden members, from bytes to bytes: what lies between hidden members is copied, and
// only arrays that these may lie in are parsed.
// Invariant: the same members are left as of the parsed document (HiddenFields.visibleMembers).
import { scanObject } from '../../json/json-scan.ts';
import type { HiddenFields } from '../../query/visibility/hidden-fields.ts';

const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');
const COMMA = Buffer.from(',');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

export class VisibleBytes {
  readonly #hidden: HiddenFields;
  /** By path of an object: the names that hidden ones in it begin with; null: all are hidden. */
  readonly #beginnings = new Map<string, readonly Uint8Array[] | null>();

  constructor(hidden: HiddenFields) {
    this.#hidden = hidden;
  }

  /**
   * An object without hidden members, in memory of its own.
   * @param object UTF-8 JSON without white space between its tokens
   * @param path of the object; empty for a document
   */
  object(object: Uint8Array, path: string): Uint8Array {
    return Buffer.concat([OPEN, ...this.#members(bufferOf(object), path), CLOSE]);
  }

  /**
   * The nested members of a document without hidden ones; the same bytes if none can be hidden.
   * @param nested UTF-8 JSON as `"name":[…],…`, or nothing
   * @param paths the names that the members may have
   */
  nested(nested: Uint8Array, paths: readonly string[]): Uint8Array {
    const hidden = this.#hidden;
    if (!paths.some((path) => hidden.has(path) || hidden.mayHideBelow(path))) return nested;
    return Buffer.concat(this.#members(Buffer.concat([OPEN, nested, CLOSE]), ''));
  }

  /** The visible members with commas between them, in pieces. */
  #members(object: Buffer, path: string): readonly Buffer[] {
    const { members } = scanObject(object, Number.POSITIVE_INFINITY);
    const beginnings = this.#beginningsIn(path);
    const pieces: Buffer[] = [];
    const add = (piece: Buffer) => {
      if (piece.length === 0) return;
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(piece);
    };
    /** The first of the members that are visible as they are, up to the current one. */
    let first = 0;
    for (let at = 0; at < members.length; at += 4) {
      const key = members[at] ?? 0;
      const keyEnd = members[at + 1] ?? 0;
      if (beginnings !== null && !mayBeHidden(object, key, keyEnd, beginnings)) continue;
      if (at > first) add(object.subarray(members[first], members[at - 1]));
      first = at + 4;
      add(this.#member(object.subarray(key, members[at + 3]), keyEnd - key, path));
    }
    if (first < members.length) add(object.subarray(members[first], members.at(-1)));
    return pieces;
  }

  /**
   * A member without what is hidden of it; empty if nothing of it is visible.
   * @param nameEnd offset after the name
   * @param path of its object
   */
  #member(member: Buffer, nameEnd: number, path: string): Buffer {
    const hidden = this.#hidden;
    const name = JSON.parse(member.toString('utf8', 0, nameEnd)) as string;
    const below = path === '' ? name : `${path}.${name}`;
    if (hidden.has(below)) return member.subarray(0, 0);
    if (!hidden.mayHideBelow(below)) return member;
    switch (member[nameEnd + 1]) {
      case OPEN_OBJECT: {
        const inner = this.#members(member.subarray(nameEnd + 1), below);
        if (inner.length === 0) return member.subarray(0, 0);
        return Buffer.concat([member.subarray(0, nameEnd + 1), OPEN, ...inner, CLOSE]);
      }
      case OPEN_ARRAY: {
        const parsed = JSON.parse(`{${member.toString()}}`) as Record<string, unknown>;
        return Buffer.from(JSON.stringify(hidden.visibleMembers(parsed, path)).slice(1, -1));
      }
      default:
        return member;
    }
  }

  #beginningsIn(path: string): readonly Uint8Array[] | null {
    let beginnings = this.#beginnings.get(path);
    if (beginnings === undefined) {
      beginnings = this.#hidden.has(path) ? null : beginningsOf(this.#hidden.names, path);
      this.#beginnings.set(path, beginnings);
    }
    return beginnings;
  }
}

/** The names below a path up to their first dot. */
function beginningsOf(names: readonly string[], path: string): Uint8Array[] {
  const prefix = path === '' ? '' : `${path}.`;
  const below = names.filter((name) => name.startsWith(prefix));
  const beginnings = below.map((name) => name.slice(prefix.length).split('.', 1)[0] ?? '');
  return [...new Set(beginnings)].map((name) => Buffer.from(name));
}

/**
 * Whether the name of a member begins with one of the names, up to a dot. True for a name with escapes,
 * which is not compared.
 */
function mayBeHidden(
  object: Uint8Array,
  key: number,
  keyEnd: number,
  beginnings: readonly Uint8Array[],
): boolean {
  for (let at = key + 1; at < keyEnd; at++) if (object[at] === BACKSLASH) return true;
  for (const name of beginnings) {
    const after = object[key + 1 + name.length];
    if ((after === QUOTE || after === DOT) && startsAt(object, key + 1, name)) return true;
  }
  return false;
}

function startsAt(bytes: Uint8Array, offset: number, part: Uint8Array): boolean {
  for (let at = 0; at < part.length; at++) if (bytes[offset + at] !== part[at]) return false;
  return true;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
