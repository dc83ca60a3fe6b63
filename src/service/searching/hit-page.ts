// Writes hits into a response: each is spliced from its stored bytes and the envelope of its index,
// directly into the response buffer. Only a projection parses documents.
// Invariant: `writeTo` writes exactly `length` bytes.

import { copyBytes } from '../../json/byte-copy.ts';
import { typeOf } from '../../query/mapping/document-types.ts';
import type { Constants, Mapping } from '../../query/mapping/mapping.ts';
import { Projection, selectsMembers } from '../../query/projection.ts';
import type { IndexName, SourceFilter } from '../../query/query.ts';
import { runSteps } from '../../query/steps.ts';
import type { Hit, JoinedParts } from '../ports/search-backend.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
/** Length of `{}`: nothing can be appended to an element without members. */
const EMPTY_OBJECT = 2;
const WHOLE_DOCUMENT = new Projection({ includes: [], excludes: [], nested: true });

/**
 * Size of one piece of a page, or of one row if that is larger: written in well under a
 * millisecond.
 */
const PIECE_BYTES = 256 * 1024;

/** Splicing a hit takes less than a microsecond. */
const SPLICES_PER_STEP = 64;

/** The output form of the hits of one plan. */
export class PageForm {
  readonly #projection: Projection | null;
  readonly #mapping: (index: IndexName) => Mapping;

  /** @param mapping the mappings that the plan was made with */
  constructor(source: SourceFilter, mapping: (index: IndexName) => Mapping) {
    this.#projection = selectsMembers(source) ? new Projection(source) : null;
    this.#mapping = mapping;
  }

  /** Whether each document of a page is parsed. */
  get projects(): boolean {
    return this.#projection !== null;
  }

  /**
   * The JSON array of these hits in pieces; a step parses one hit or splices a few.
   * @param release of the hits, for the last piece
   */
  *pageSteps(hits: readonly Hit[], release?: () => void): Generator<void, readonly HitRows[]> {
    const page = new PageBuilder();
    /** By index and nested path of the elements. */
    const ends = new Map<string, Uint8Array>();
    // No entries(): V8 makes three objects for each entry in a generator.
    for (let at = 0; at < hits.length; at++) {
      const hit = hits[at] as Hit;
      const projection = this.#projection ?? (isEmpty(hit) ? WHOLE_DOCUMENT : null);
      if (projection !== null) {
        page.add(null, this.#projected(hit, projection));
        yield;
      } else {
        const { index, elementOf } = hit;
        const kind = elementOf === undefined ? index : `${index} ${elementOf}`;
        let end = ends.get(kind);
        if (end === undefined) {
          end = rowEnd(hit, this.#mapping(index));
          ends.set(kind, end);
        }
        page.add(hit, end);
        if (at % SPLICES_PER_STEP === SPLICES_PER_STEP - 1) yield;
      }
    }
    return page.finish(release);
  }

  /** Runs all of `pageSteps` at once. */
  page(hits: readonly Hit[], release?: () => void): readonly HitRows[] {
    return runSteps(this.pageSteps(hits, release));
  }

  #projected(hit: Hit, projection: Projection): Uint8Array {
    const row = projected(hit, projection, this.#mapping(hit.index));
    return encoder.encode(JSON.stringify(row));
  }
}

/** Splits the rows of a page into pieces. */
class PageBuilder {
  readonly #pieces: HitRows[] = [];
  #current = new HitRows(OPEN);

  add(hit: Hit | null, end: Uint8Array): void {
    if (this.#current.length >= PIECE_BYTES) {
      this.#pieces.push(this.#current);
      this.#current = new HitRows(COMMA);
    }
    this.#current.add(hit, end);
  }

  finish(release: (() => void) | undefined): readonly HitRows[] {
    this.#current.isLast = true;
    this.#current.release = release;
    this.#pieces.push(this.#current);
    return this.#pieces;
  }
}

/** Some rows of the JSON array of hits, in UTF-8. */
export class HitRows {
  /** Whether the array ends after these rows. */
  isLast = false;
  release: (() => void) | undefined;
  readonly #opening: number;
  /** The hit whose stored members start each row; null for a row that is complete in `#ends`. */
  readonly #hits: (Hit | null)[] = [];
  /** What follows the stored members in each row. */
  readonly #ends: Uint8Array[] = [];
  #rowBytes = 0;

  /** @param opening the byte before the first row: the opening bracket or a comma */
  constructor(opening: number) {
    this.#opening = opening;
  }

  /** Length of the rows, separators and closing bracket. */
  get length(): number {
    return this.#rowBytes + Math.max(1, this.#ends.length) + Number(this.isLast);
  }

  add(hit: Hit | null, end: Uint8Array): void {
    this.#hits.push(hit);
    this.#ends.push(end);
    this.#rowBytes += (hit === null ? 0 : membersLength(hit)) + end.length;
  }

  /** Writes all rows from `start` on. */
  writeTo(target: Buffer, start: number): void {
    let at = start;
    target[at++] = this.#opening;
    for (let i = 0; i < this.#ends.length; i++) {
      const end = this.#ends[i] as Uint8Array;
      if (i > 0) target[at++] = COMMA;
      const hit = this.#hits[i];
      if (hit) at = writeMembers(hit, target, at);
      target.set(end, at);
      at += end.length;
    }
    if (this.isLast) target[at] = CLOSE;
  }
}

/** Length of the stored members without their closing brace. */
function membersLength(hit: Hit): number {
  const { joined } = hit;
  if (joined !== undefined) {
    // The closing brace of the root part becomes the comma before the nested one.
    const { bytes, rootLength } = joined;
    return bytes.length > rootLength ? bytes.length : rootLength - 1;
  }
  const { root, nested } = hit;
  return root.length - 1 + (nested.length > 0 ? nested.length + 1 : 0);
}

function writeJoined({ bytes, rootLength }: JoinedParts, target: Buffer, start: number): number {
  copyBytes(target, bytes, start);
  if (bytes.length === rootLength) return start + rootLength - 1;
  target[start + rootLength - 1] = COMMA;
  return start + bytes.length;
}

/** Writes the stored members without their closing brace. @returns their end */
function writeMembers(hit: Hit, target: Buffer, start: number): number {
  const { joined } = hit;
  if (joined !== undefined) return writeJoined(joined, target, start);
  const { root, nested } = hit;
  copyBytes(target, root, start);
  let at = start + root.length - 1;
  if (nested.length > 0) {
    target[at++] = COMMA;
    copyBytes(target, nested, at);
    at += nested.length;
  }
  return at;
}

function isEmpty(hit: Hit): boolean {
  return (hit.joined?.rootLength ?? hit.root.length) === EMPTY_OBJECT;
}

/** What follows the stored members of a row: `,"_type":…}`, the same for all rows of a kind. */
function rowEnd(hit: Hit, mapping: Mapping): Uint8Array {
  return encoder.encode(`,${JSON.stringify(envelopeOf(hit, mapping)).slice(1)}`);
}

/** The members of a row beyond the stored ones. */
function envelopeOf({ elementOf }: Hit, mapping: Mapping): Constants {
  if (elementOf === undefined) return mapping.constants;
  const _version = mapping.constants['_version'] ?? '';
  return { _type: elementOf, _originalType: typeOf(mapping.index), _version };
}

function projected(hit: Hit, projection: Projection, mapping: Mapping): Record<string, unknown> {
  const root = decoder.decode(hit.root);
  const nested = hit.nested.length > 0 ? `,${decoder.decode(hit.nested)}` : '';
  const document: Record<string, unknown> = JSON.parse(`${root.slice(0, -1)}${nested}}`);
  const envelope = envelopeOf(hit, mapping);
  const row = projection.apply({ ...document, ...envelope });
  // Always included, because clients distinguish rows by them.
  for (const name of ['_type', '_originalType', '_version']) {
    if (envelope[name] !== undefined) row[name] = envelope[name];
  }
  const type = envelope['type'] ?? document['type'];
  if (type !== undefined) row['type'] = type;
  return row;
}
