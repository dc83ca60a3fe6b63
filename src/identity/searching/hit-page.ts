// Writes hits into a response: each is spliced from its stored bytes and the envelope of its index,
// directly into the response buffer. Only a projection parses documents.
// Invariant: `writeTo` writes exactly `length` bytes.
import { typeOf } from '../../query/mapping/document-types.ts';
import type { Constants, Mapping } from '../../query/mapping/mapping.ts';
import { Projection, selectsMembers } from '../../query/projection.ts';
import type { IndexName, SourceFilter } from '../../query/query.ts';
import { runSteps } from '../../query/steps.ts';
import { copyBytes } from '../json/byte-copy.ts';
import type { Hit } from '../ports/search-backend.ts';

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

  /** The JSON array of these hits in pieces, one hit per step. */
  *pageSteps(hits: readonly Hit[]): Generator<void, readonly HitRows[]> {
    const page = new PageBuilder();
    const tails = new Map<string, Uint8Array>();
    for (const hit of hits) {
      const projection = this.#projection ?? (isEmpty(hit) ? WHOLE_DOCUMENT : null);
      if (projection !== null) {
        page.add(null, this.#projected(hit, projection));
      } else {
        const kind = `${hit.index} ${hit.elementOf ?? ''}`;
        let tail = tails.get(kind);
        if (tail === undefined) {
          tail = tailOf(hit, this.#mapping(hit.index));
          tails.set(kind, tail);
        }
        page.add(hit, tail);
      }
      yield;
    }
    return page.finish();
  }

  /** Runs all of `pageSteps` at once. */
  page(hits: readonly Hit[]): readonly HitRows[] {
    return runSteps(this.pageSteps(hits));
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

  finish(): readonly HitRows[] {
    this.#current.isLast = true;
    this.#pieces.push(this.#current);
    return this.#pieces;
  }
}

/** Some rows of the JSON array of hits, in UTF-8. */
export class HitRows {
  /** Whether the array ends after these rows. */
  isLast = false;
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
    for (const [i, end] of this.#ends.entries()) {
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
function membersLength({ root, nested }: Hit): number {
  return root.length - 1 + (nested.length > 0 ? nested.length + 1 : 0);
}

/** Writes the stored members without their closing brace. @returns their end */
function writeMembers({ root, nested }: Hit, target: Buffer, start: number): number {
  copyBytes(target, root, start);
  let at = start + root.length - 1;
  if (nested.length > 0) {
    target[at++] = COMMA;
    copyBytes(target, nested, at);
    at += nested.length;
  }
  return at;
}

function isEmpty({ root }: Hit): boolean {
  return root.length === EMPTY_OBJECT;
}

/** `,"_type":…}`: the part after the stored members, the same for all rows of a kind. */
function tailOf(hit: Hit, mapping: Mapping): Uint8Array {
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
