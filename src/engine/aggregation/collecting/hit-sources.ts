// Reads the sources of hits in aggregations: documents as searches return them, or one element of a
// nested array.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import { Projection, selectsMembers } from '../../../query/projection.ts';
import type { IndexName, SourceFilter } from '../../../query/query.ts';
import { HiddenFields } from '../../../query/visibility/hidden-fields.ts';
import type { SegmentView } from '../../sections/segment.ts';
import type { HitCandidate } from './intermediate.ts';

const decoder = new TextDecoder();

/** One index of the request. */
interface Target {
  readonly index: IndexName;
  readonly mapping: Mapping;
}

/** Reads the documents of hits. */
export interface HitDocuments {
  id(hit: HitCandidate): string;
  /** Returns a UTF-8 JSON object: the document without its nested members. */
  root(hit: HitCandidate): Uint8Array;
  /** Returns the nested members as UTF-8: `"name":[…],…`. */
  nested(hit: HitCandidate): Uint8Array;
}

/** Reads documents from the stored fields of segments. */
export class SegmentDocuments implements HitDocuments {
  readonly #targets: readonly { readonly views: readonly SegmentView[] }[];

  constructor(targets: readonly { readonly views: readonly SegmentView[] }[]) {
    this.#targets = targets;
  }

  id(hit: HitCandidate): string {
    return this.#view(hit).segment.ids.term(hit.row);
  }

  root(hit: HitCandidate): Uint8Array {
    return this.#view(hit).segment.sources.root(hit.row);
  }

  nested(hit: HitCandidate): Uint8Array {
    return this.#view(hit).segment.sources.nested(hit.row);
  }

  #view(hit: HitCandidate): SegmentView {
    return this.#targets[hit.target]!.views[hit.view]!;
  }
}

export class HitSources {
  readonly #targets: readonly Target[];
  readonly #documents: HitDocuments;

  constructor(targets: readonly Target[], documents: HitDocuments) {
    this.#targets = targets;
    this.#documents = documents;
  }

  index(hit: HitCandidate): IndexName {
    return this.#targets[hit.target]!.index;
  }

  id(hit: HitCandidate): string {
    return this.#documents.id(hit);
  }

  source(hit: HitCandidate, filter: SourceFilter): unknown {
    const nested = decoder.decode(this.#documents.nested(hit));
    const stored =
      hit.element === null ? this.#document(hit, nested) : elementOf(nested, hit.element);
    const { hidden = [] } = filter;
    const path = hit.element?.path ?? '';
    const whole =
      hidden.length === 0 ? stored : new HiddenFields(hidden).visibleMembers(stored, path);
    if (!selectsMembers(filter)) return whole;
    // Names are absolute, also for the members of an element.
    if (hit.element === null) return new Projection(filter).apply(whole);
    const projected = new Projection(filter).apply({ [path]: whole })[path];
    return projected ?? {};
  }

  #document(hit: HitCandidate, nested: string): Record<string, unknown> {
    const root = decoder.decode(this.#documents.root(hit));
    const joint = nested === '' || root === '{}' ? nested : `,${nested}`;
    const document: Record<string, unknown> = JSON.parse(`${root.slice(0, -1)}${joint}}`);
    return { ...document, ...this.#targets[hit.target]!.mapping.constants };
  }
}

/** Returns the element with an offset among the objects of an array. */
function elementOf(
  nested: string,
  { path, offset }: { readonly path: string; readonly offset: number },
): Record<string, unknown> {
  const members = JSON.parse(`{${nested}}`) as Record<string, unknown>;
  return objectsIn(members[path])[offset] ?? {};
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : [];
}
