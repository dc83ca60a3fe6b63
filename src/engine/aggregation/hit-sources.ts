// The sources of hits in aggregations: documents as searches return them, or one element of a nested array.
import type { Mapping } from '../../query/mapping.ts';
import type { IndexName, SourceFilter } from '../../query/plan.ts';
import { Projection, projects } from '../../query/projection.ts';
import type { SegmentView } from '../index/segment.ts';
import type { HitCandidate } from './intermediate.ts';

const decoder = new TextDecoder();

interface Target {
  readonly index: IndexName;
  readonly mapping: Mapping;
  readonly views: readonly SegmentView[];
}

export class HitSources {
  readonly #targets: readonly Target[];

  constructor(targets: readonly Target[]) {
    this.#targets = targets;
  }

  index(hit: HitCandidate): IndexName {
    return this.#targets[hit.target]!.index;
  }

  id(hit: HitCandidate): string {
    return this.#view(hit).segment.ids.term(hit.row);
  }

  source(hit: HitCandidate, filter: SourceFilter): unknown {
    const { sources } = this.#view(hit).segment;
    const nested = decoder.decode(sources.nested(hit.row));
    const whole =
      hit.element === null ? this.#document(hit, nested) : elementOf(nested, hit.element);
    if (!projects(filter)) return whole;
    // Names are absolute, also for the members of an element.
    if (hit.element === null) return new Projection(filter).apply(whole);
    const { path } = hit.element;
    const kept = new Projection(filter).apply({ [path]: whole })[path];
    return kept ?? {};
  }

  #document(hit: HitCandidate, nested: string): Record<string, unknown> {
    const root = decoder.decode(this.#view(hit).segment.sources.root(hit.row));
    const joint = nested === '' || root === '{}' ? nested : `,${nested}`;
    const document: Record<string, unknown> = JSON.parse(`${root.slice(0, -1)}${joint}}`);
    return { ...document, ...this.#targets[hit.target]!.mapping.constants };
  }

  #view(hit: HitCandidate): SegmentView {
    return this.#targets[hit.target]!.views[hit.view]!;
  }
}

/** The element at a place among the objects of an array. */
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
