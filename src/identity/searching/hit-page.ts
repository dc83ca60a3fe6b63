// Hits on their way into a response: each is spliced from its stored bytes and the envelope of its index, written straight
// where the answer is put together. Only a projection parses them.
// Invariant: `length` is what `writeTo` writes, to the byte.
import { typeOf } from '../../query/mapping/document-types.ts';
import type { Constants, Mapping } from '../../query/mapping/mapping.ts';
import { Projection, selectsMembers } from '../../query/projection.ts';
import type { IndexName, SourceFilter } from '../../query/query.ts';
import type { Hit } from '../ports/search-backend.ts';
import { ProjectedRows } from './projected-rows.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
/** Bytes of `{}`: an element without members, which nothing can be appended to. */
const EMPTY_OBJECT = 2;
const EVERYTHING = new Projection({ includes: [], excludes: [], nested: true });

/** What rows of projections that are asked again and again may take in memory. */
const ROWS_BYTES_MAX = 32 * 2 ** 20;
const ROWS = new ProjectedRows(ROWS_BYTES_MAX);

/** Bytes of one piece of a page, or one row where a row is larger: written in well under a millisecond. */
const PIECE_BYTES = 256 * 1024;

/** How the hits of one plan are shown. */
export class PageForm {
  readonly #projection: Projection | null;
  #usedBefore = false;
  readonly #mapping: (index: IndexName) => Mapping;

  /** @param mapping with which the plan was made */
  constructor(source: SourceFilter, mapping: (index: IndexName) => Mapping) {
    this.#projection = selectsMembers(source) ? new Projection(source) : null;
    this.#mapping = mapping;
  }

  /** Whether each document of a page is parsed. */
  get projects(): boolean {
    return this.#projection !== null;
  }

  /** The JSON array of these hits in pieces, one hit a step. */
  *pageSteps(hits: readonly Hit[]): Generator<void, readonly HitRows[]> {
    const page = new PageBuilder();
    let last: Hit | undefined;
    let tail: Uint8Array = NOTHING;
    for (const hit of hits) {
      const projection = this.#projection ?? (isEmpty(hit) ? EVERYTHING : null);
      if (projection !== null) {
        page.add(null, this.#projected(hit, projection));
      } else {
        if (last?.index !== hit.index || last.elementOf !== hit.elementOf) {
          tail = tailOf(hit, this.#mapping(hit.index));
          last = hit;
        }
        page.add(hit, tail);
      }
      yield;
    }
    this.#usedBefore = true;
    return page.finish();
  }

  /** `pageSteps` in one go. */
  page(hits: readonly Hit[]): readonly HitRows[] {
    const steps = this.pageSteps(hits);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value;
  }

  #projected(hit: Hit, projection: Projection): Uint8Array {
    const row = () => {
      const kept = projected(hit, projection, this.#mapping(hit.index));
      return encoder.encode(JSON.stringify(kept));
    };
    // Elements are parsed out of their document each time: none is met again.
    return this.#usedBefore && hit.elementOf === undefined
      ? ROWS.through(this, hit.root, row)
      : row();
  }
}

/** Divides the rows of a page into pieces. */
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

/** UTF-8 of some rows in the JSON array of hits. */
export class HitRows {
  /** Whether the array ends after these rows. */
  isLast = false;
  readonly #opening: number;
  /** By row: the hit whose stored members begin it; null where `#ends` has all of it. */
  readonly #hits: (Hit | null)[] = [];
  /** By row: what follows the stored members. */
  readonly #ends: Uint8Array[] = [];
  #rowBytes = 0;

  /** @param opening the byte before the first row: the bracket of the array, or a comma */
  constructor(opening: number) {
    this.#opening = opening;
  }

  /** Bytes: the rows, what is before each, and the closing bracket. */
  get length(): number {
    return this.#rowBytes + Math.max(1, this.#ends.length) + Number(this.isLast);
  }

  add(hit: Hit | null, end: Uint8Array): void {
    this.#hits.push(hit);
    this.#ends.push(end);
    this.#rowBytes += (hit === null ? 0 : membersLength(hit)) + end.length;
  }

  /** Writes all of it from `start` on. */
  writeTo(target: Uint8Array, start: number): void {
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

/** Bytes of the stored members without their closing brace. */
function membersLength({ root, nested }: Hit): number {
  return root.length - 1 + (nested.length > 0 ? nested.length + 1 : 0);
}

/** Writes the stored members without their closing brace; returns where they end. */
function writeMembers({ root, nested }: Hit, target: Uint8Array, start: number): number {
  target.set(root, start);
  let at = start + root.length - 1;
  if (nested.length > 0) {
    target[at++] = COMMA;
    target.set(nested, at);
    at += nested.length;
  }
  return at;
}

const NOTHING = new Uint8Array(0);
const TAILS = new WeakMap<Mapping, Map<string, Uint8Array>>();

function isEmpty({ root }: Hit): boolean {
  return root.length === EMPTY_OBJECT;
}

/** `,"_type":…}`: what follows the stored members of every row of a kind. */
function tailOf(hit: Hit, mapping: Mapping): Uint8Array {
  const tails = TAILS.get(mapping) ?? new Map<string, Uint8Array>();
  TAILS.set(mapping, tails);
  const kind = hit.elementOf ?? '';
  const known = tails.get(kind);
  if (known !== undefined) return known;
  const tail = encoder.encode(`,${JSON.stringify(envelopeOf(hit, mapping)).slice(1)}`);
  tails.set(kind, tail);
  return tail;
}

/** What a row has beyond its stored members. */
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
  const kept = projection.apply({ ...document, ...envelope });
  // These are in every row, asked for or not: clients sort rows into kinds by them.
  for (const name of ['_type', '_originalType', '_version']) {
    if (envelope[name] !== undefined) kept[name] = envelope[name];
  }
  const type = envelope['type'] ?? document['type'];
  if (type !== undefined) kept['type'] = type;
  return kept;
}
