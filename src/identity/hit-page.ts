// Hits on their way into a response: each is spliced from its stored bytes and the envelope of its index, written straight
// where the answer is put together. Only a projection parses them.
// Invariant: `length` is what `writeTo` writes, to the byte.
import { typeOf } from '../query/document-types.ts';
import type { Constants, Mapping } from '../query/mapping.ts';
import type { IndexName, SourceFilter } from '../query/plan.ts';
import { Projection, projects } from '../query/projection.ts';
import { ProjectedRows } from './projected-rows.ts';
import type { Hit } from './search-backend.ts';

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

/** How the hits of one plan are shown. */
export class PageForm {
  readonly #projection: Projection | null;
  #usedBefore = false;
  readonly #mapping: (index: IndexName) => Mapping;

  /** @param mapping with which the plan was made */
  constructor(source: SourceFilter, mapping: (index: IndexName) => Mapping) {
    this.#projection = projects(source) ? new Projection(source) : null;
    this.#mapping = mapping;
  }

  /** Whether documents are parsed for a page: then `pageSteps` keeps a large one from holding the event loop. */
  get projects(): boolean {
    return this.#projection !== null;
  }

  /** The JSON array of these hits. */
  page(hits: readonly Hit[]): HitPage {
    let last: Hit | undefined;
    let tail: Uint8Array = NOTHING;
    const ends = hits.map((hit) => {
      const projection = this.#projection ?? (isEmpty(hit) ? EVERYTHING : null);
      if (projection !== null) return this.#projected(hit, projection);
      if (last?.index !== hit.index || last.elementOf !== hit.elementOf) {
        tail = tailOf(hit, this.#mapping(hit.index));
        last = hit;
      }
      return tail;
    });
    this.#usedBefore = true;
    return new HitPage(hits, ends, this.projects);
  }

  /** `page` of a projection, one hit a step. */
  *pageSteps(hits: readonly Hit[]): Generator<void, HitPage> {
    const ends: Uint8Array[] = [];
    for (const hit of hits) {
      ends.push(this.#projected(hit, this.#projection ?? EVERYTHING));
      yield;
    }
    this.#usedBefore = true;
    return new HitPage(hits, ends, true);
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

/** UTF-8 of a JSON array of hits. */
export class HitPage {
  /** Bytes. */
  readonly length: number;
  readonly #hits: readonly Hit[];
  /** By hit: what follows its stored members; where it is projected or has none, all of it. */
  readonly #ends: readonly Uint8Array[];
  readonly #projected: boolean;

  constructor(hits: readonly Hit[], ends: readonly Uint8Array[], isProjected: boolean) {
    this.#hits = hits;
    this.#ends = ends;
    this.#projected = isProjected;
    // Brackets, and commas between the hits.
    let length = 2 + Math.max(0, hits.length - 1);
    for (const [i, end] of ends.entries()) length += this.#membersLength(i) + end.length;
    this.length = length;
  }

  /** Writes all of it from `start` on. */
  writeTo(target: Uint8Array, start: number): void {
    let at = start;
    target[at++] = OPEN;
    for (const [i, end] of this.#ends.entries()) {
      if (i > 0) target[at++] = COMMA;
      const hit = this.#hits[i];
      if (hit !== undefined && !this.#isWhole(hit)) {
        target.set(hit.root, at);
        // Over its closing brace.
        at += hit.root.length - 1;
        if (hit.nested.length > 0) {
          target[at++] = COMMA;
          target.set(hit.nested, at);
          at += hit.nested.length;
        }
      }
      target.set(end, at);
      at += end.length;
    }
    target[at] = CLOSE;
  }

  #membersLength(i: number): number {
    const hit = this.#hits[i];
    if (hit === undefined || this.#isWhole(hit)) return 0;
    const { length } = hit.nested;
    return hit.root.length - 1 + (length > 0 ? length + 1 : 0);
  }

  #isWhole(hit: Hit): boolean {
    return this.#projected || isEmpty(hit);
  }
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
