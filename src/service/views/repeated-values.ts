// Finds visible fields that repeat what a view hides, by their values in documents: an e-mail address
// that is hidden may also be the id of an account.
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import type { HiddenFields } from '../../query/visibility/hidden-fields.ts';

/** Visible fields with values of a hidden one. */
export interface Repetition {
  /** As the view names it. */
  readonly hidden: string;
  /** Not empty. */
  readonly visible: readonly string[];
}

/** Shorter values are equal by chance. */
const CHARACTERS_MIN = 5;
/** At least so many values must be equal, or all of them if the hidden field has fewer. */
const MATCHES_MIN = 3;
/** A field identifies people only if at least this part of its values differ: a department does not. */
const DISTINCT_MIN = 0.5;

/** What is known of a hidden field. */
interface HiddenField {
  /** Values, in lower case, with the index of one document that has it. */
  readonly values: Map<string, IndexName>;
  /** How often it has a value. */
  count: number;
}

export class RepeatedValues {
  readonly #hidden: HiddenFields;
  readonly #fields = new Map<string, HiddenField>();
  /** By visible field: its values in the documents of each index. */
  readonly #visible = new Map<string, Map<string, Set<IndexName>>>();
  /** By hidden and visible field: the documents that have the same value in both. */
  readonly #together = new Map<string, Map<string, number>>();

  constructor(hidden: HiddenFields) {
    this.#hidden = hidden;
  }

  /** @param document parsed, with its nested members */
  add(index: IndexName, document: unknown): void {
    const hiddenHere = new Map<string, Set<string>>();
    const visibleHere: [path: string, value: string][] = [];
    for (const [path, value] of leavesOf(document, '')) {
      if (!this.#hidden.has(path)) {
        visibleHere.push([path, value]);
        continue;
      }
      getOrAdd(hiddenHere, value, () => new Set<string>()).add(path);
      const field = getOrAdd(this.#fields, path, () => ({ values: new Map(), count: 0 }));
      field.values.set(value, index);
      field.count += 1;
    }
    const found = new Set<string>();
    for (const [path, value] of visibleHere) {
      const values = getOrAdd(this.#visible, path, () => new Map<string, Set<IndexName>>());
      getOrAdd(values, value, () => new Set<IndexName>()).add(index);
      for (const hidden of hiddenHere.get(value) ?? []) found.add(JSON.stringify([hidden, path]));
    }
    for (const pair of found) {
      const [hidden, visible] = JSON.parse(pair) as [string, string];
      const counts = getOrAdd(this.#together, hidden, () => new Map<string, number>());
      counts.set(visible, (counts.get(visible) ?? 0) + 1);
    }
  }

  /** By hidden name of the view, the fields that have most values in common with it first. */
  all(): readonly Repetition[] {
    return this.#hidden.names.flatMap((name): Repetition[] => {
      const shared = new Map<string, number>();
      for (const [path, field] of this.#fields) {
        if (path !== name && !path.startsWith(`${name}.`)) continue;
        for (const [visible, matches] of this.#repeating(path, field)) {
          shared.set(visible, Math.max(shared.get(visible) ?? 0, matches));
        }
      }
      const visible = [...shared]
        .sort(([one, least], [other, most]) => most - least || (one < other ? -1 : 1))
        .map(([path]) => path);
      return visible.length === 0 ? [] : [{ hidden: name, visible }];
    });
  }

  /** The visible fields with values of a hidden one, and how many. */
  *#repeating(path: string, field: HiddenField): Generator<[visible: string, matches: number]> {
    const { values, count } = field;
    if (values.size < count * DISTINCT_MIN) return;
    const least = Math.min(MATCHES_MIN, values.size);
    const together = this.#together.get(path) ?? new Map<string, number>();
    for (const [visible, others] of this.#visible) {
      const matches = (together.get(visible) ?? 0) + (isOwn(path) ? elsewhere(field, others) : 0);
      if (matches >= least) yield [visible, matches];
    }
  }
}

/** How many values of a hidden field documents of other indexes have in a visible one. */
function elsewhere(
  { values }: HiddenField,
  others: ReadonlyMap<string, ReadonlySet<IndexName>>,
): number {
  let count = 0;
  for (const [value, index] of values) {
    const indexes = others.get(value);
    if (indexes !== undefined && INDEX_NAMES.some((one) => one !== index && indexes.has(one))) {
      count += 1;
    }
  }
  return count;
}

/** Whether a field says something of the document itself, not of what it refers to. */
function isOwn(path: string): boolean {
  return path.replace(/^attributes\./, '').indexOf('.') < 0;
}

/** The values of a document as texts, by dotted path; those of arrays have the path of the array. */
function* leavesOf(value: unknown, path: string): Generator<[path: string, value: string]> {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).toLowerCase();
    if (text.length >= CHARACTERS_MIN) yield [path, text];
  } else if (Array.isArray(value)) {
    for (const item of value) yield* leavesOf(item, path);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield* leavesOf(inner, path === '' ? name : `${path}.${name}`);
    }
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
