// Names in a request that no index asked knows. They are no fault: such a clause matches nothing. But mostly they are
// typing errors, so the caller is told, with the name that was perhaps meant.
// The readers of a request know nothing of this: the mappings they are given say what was looked up in them.

import { cut } from '../explain/plan-clause.ts';
import { allSteps, type Steps } from '../planning-steps.ts';
import type { IndexName } from '../query.ts';
import type { PlanContext } from '../search-request.ts';
import type { HeardMapping, NameListener } from './field-names.ts';
import type { Mapping } from './mapping.ts';
import { nearestName } from './nearest-name.ts';

/** A name that no index asked knows. */
export interface Warning {
  /** Absolute: below a nested array with its path. */
  readonly field: string;
  /** The known name nearest to it, or null. */
  readonly nearest: string | null;
  /** For a person. */
  readonly text: string;
}

/** More are not told. */
const MOST_WARNINGS = 8;
const MOST_CHARACTERS = 100;

/** What a request was planned to, and what it asked for in vain. */
export interface Heard<T> {
  readonly planned: T;
  readonly warnings: readonly Warning[];
  /** By index: what of the request it does not know, whether another one does or not; no empty lists. */
  readonly unknown: Readonly<Partial<Record<IndexName, readonly string[]>>>;
}

/** Plans a request and hears which names it uses. */
export function withWarnings<T>(context: PlanContext, plan: (context: PlanContext) => T): Heard<T> {
  return allSteps(
    // biome-ignore lint/correctness/useYield: the plan is made in one step
    warningSteps(context, function* (heard) {
      return plan(heard);
    }),
  );
}

/** `withWarnings`, in steps. */
export function* warningSteps<T>(
  context: PlanContext,
  plan: (context: PlanContext) => Steps<T>,
): Steps<Heard<T>> {
  const asked = new Map<IndexName, NamesAsked>();
  const planned = yield* plan({
    ...context,
    mapping(index) {
      const names = asked.get(index) ?? new NamesAsked(context.mapping(index));
      asked.set(index, names);
      return names.heard;
    },
  });
  yield;
  const indexes = [...asked.values()];
  return {
    planned,
    warnings: warningsOf(indexes),
    unknown: Object.fromEntries(
      indexes
        .filter(({ unknown }) => unknown.length > 0)
        .map(({ heard, unknown }) => [heard.index, namesIn(unknown)]),
    ),
  };
}

interface Asked {
  readonly name: string;
  readonly kind: 'field' | 'path';
  /** The nested path that the name was put below. */
  readonly nested: string | null;
}

/** What was looked up in one mapping. */
class NamesAsked implements NameListener {
  readonly heard: HeardMapping;
  readonly #known = new Set<string>();
  readonly #unknown = new Map<string, Asked>();

  constructor(mapping: Mapping) {
    this.heard = { ...mapping, listener: this };
  }

  field(name: string, nested: string | null, known: boolean): void {
    this.#note({ name, kind: 'field', nested }, known);
  }

  path(name: string, known: boolean): void {
    this.#note({ name, kind: 'path', nested: null }, known);
  }

  knows(key: string): boolean {
    return this.#known.has(key);
  }

  /** A name may be asked for as a field and, being none, as an object. */
  get unknown(): readonly (readonly [key: string, asked: Asked])[] {
    return [...this.#unknown].filter(([key]) => !this.#known.has(key));
  }

  #note(asked: Asked, known: boolean): void {
    const key = `${asked.kind} ${asked.name}`;
    if (known) this.#known.add(key);
    else if (!this.#unknown.has(key)) this.#unknown.set(key, asked);
  }
}

function namesIn(unknown: NamesAsked['unknown']): string[] {
  return unknown.slice(0, MOST_WARNINGS).map(([, { name }]) => cut(name, MOST_CHARACTERS));
}

function warningsOf(indexes: readonly NamesAsked[]): readonly Warning[] {
  const unknown = new Map(indexes.flatMap((index) => index.unknown));
  return [...unknown]
    .filter(([key]) => !indexes.some((index) => index.knows(key)))
    .slice(0, MOST_WARNINGS)
    .map(([, asked]) => warningOf(asked, indexes));
}

function warningOf({ name, kind, nested }: Asked, indexes: readonly NamesAsked[]): Warning {
  const known = new Set(indexes.flatMap(({ heard }) => namesOf(heard, kind, nested)));
  const nearest = nearestName(name.replace(/\.exact$/, ''), [...known]);
  const field = cut(name, MOST_CHARACTERS);
  const what = kind === 'field' ? 'field' : 'nested array';
  const hint = nearest === null ? '' : `; did you mean "${nearest}"?`;
  return { field, nearest, text: `No requested index has a ${what} "${field}"${hint}` };
}

function namesOf(mapping: Mapping, kind: Asked['kind'], nested: string | null): readonly string[] {
  if (kind === 'path') return mapping.nestedPaths;
  const fields = [...mapping.fields.values()];
  if (nested === null) {
    return [...fields.map(({ path }) => path), ...Object.keys(mapping.constants)];
  }
  return fields.filter((field) => field.nested === nested).map(({ path }) => path);
}
