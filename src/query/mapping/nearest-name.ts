// Suggests the known name that a user may have meant: the same words in another spelling, a leaf of the
// object of that name, a name that is an edit or two away, or one whose last part is (`departmnt`).
// Every suggestion of the service, its settings, its commands and the console comes from here.

import { BoundedMap } from '../bounded-map.ts';
import { ObjectNumbers } from '../object-numbers.ts';
import type { Mapping } from './mapping.ts';

/** Longer names have no suggestion. */
const MAX_CHARACTERS = 100;
/** The letters from which on a name may have one wrong letter, or two. Shorter ones are near anything. */
const ONE_EDIT = 3;
const TWO_EDITS = 8;

/** Suggestions, each computed once per name and set of known names: that takes a millisecond. */
export class NearestNames {
  readonly #nearest = new BoundedMap<string, string | null>({ kept: 4_096 });
  /** A mapping with new fields is another object. */
  readonly #numbers = new ObjectNumbers();

  /**
   * The nearest of the known names, as `nearestName`.
   * @param mappings those that `candidates` depends on
   * @param kind what else it depends on
   */
  nearest(
    name: string,
    mappings: readonly Mapping[],
    kind: string,
    candidates: () => readonly string[],
  ): string | null {
    const numbers = mappings.map((mapping) => this.#numbers.numberOf(mapping));
    return this.#nearest.getOrCreate(JSON.stringify([numbers, kind, name]), () =>
      nearestName(name, candidates()),
    );
  }
}

/**
 * Returns the nearest of the known names, or null if none is near. An object suggests its `name`,
 * or another leaf. Ties: the shorter name, then the smaller by code unit.
 */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  return nearNames(name, candidates)[0] ?? null;
}

/** All known names that a user may have meant, the nearest first, in the order of `nearestName`. */
export function nearNames(name: string, candidates: readonly string[]): readonly string[] {
  if (name === '' || name.length > MAX_CHARACTERS) return [];
  const lowerName = name.toLowerCase();
  return candidates
    .flatMap((candidate) => {
      const rank = rankOf(lowerName, candidate.toLowerCase());
      return rank === null ? [] : [{ candidate, rank }];
    })
    .sort((a, b) => a.rank - b.rank || byLength(a.candidate, b.candidate))
    .map(({ candidate }) => candidate);
}

/** True if a name is another one with a typing error or another spelling: not the same, and near. */
export function isMisspelt(name: string, other: string): boolean {
  return name !== other && editsOf(name.toLowerCase(), other.toLowerCase()) !== null;
}

/** How near two names without capital letters are, 0 the nearest; null: they are not. */
function rankOf(name: string, candidate: string): number | null {
  if (candidate === name) return 0;
  if (partsOf(candidate).join('') === partsOf(name).join('')) return 1;
  if (candidate === `${name}.name`) return 2;
  if (candidate.startsWith(`${name}.`)) return 3;
  const edits = editsOf(name, candidate);
  if (edits !== null) return 3 + edits;
  if (candidate.endsWith(`.${name}`)) return 6;
  const ofLastPart = name.includes('.') ? null : editsOf(name, lastPart(candidate));
  return ofLastPart === null ? null : 6 + ofLastPart;
}

/** The letters of a part of a name, without what is between its words, and of a plural the singular. */
function wordsOf(part: string): string {
  return part.replace(/[-_ ]/g, '').replace(/ies$/, 'y').replace(/s$/, '');
}

/** The edits between two names with as many parts; null: more than each part may have, or than two. */
function editsOf(name: string, candidate: string): number | null {
  const [parts, others] = [partsOf(name), partsOf(candidate)];
  if (parts.length !== others.length) return null;
  let all = 0;
  for (const [at, part] of parts.entries()) {
    const edits = editsWithin(part, others[at] ?? '');
    if (edits === null) return null;
    all += edits;
  }
  return all > 2 ? null : all;
}

function partsOf(lowerName: string): readonly string[] {
  return lowerName.split('.').map(wordsOf);
}

/** The part of a name after its last dot. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Returns the number of edits between two parts; null if more than the shorter one may have. */
function editsWithin(part: string, other: string): number | null {
  const shorter = Math.min(part.length, other.length);
  const limit = shorter >= TWO_EDITS ? 2 : shorter >= ONE_EDIT ? 1 : 0;
  if (Math.abs(part.length - other.length) > limit) return null;
  const edits = editDistance(part, other, limit);
  return edits > limit ? null : edits;
}

/**
 * Optimal string alignment distance: insert, delete, replace, swap two neighbours.
 * @param left UTF-16 units, or characters
 * @param limit stops early: for a greater distance, returns some number above the limit
 */
export function editDistance(
  left: ArrayLike<string>,
  right: ArrayLike<string>,
  limit = Number.POSITIVE_INFINITY,
): number {
  let [older, old]: [number[], number[]] = [[], []];
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i++) {
    [older, old] = [old, row];
    row = [i];
    let least = i;
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1;
      let edits = Math.min(
        valueAt(old, j) + 1,
        valueAt(row, j - 1) + 1,
        valueAt(old, j - 1) + same,
      );
      const swapped =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) edits = Math.min(edits, valueAt(older, j - 2) + 1);
      row.push(edits);
      least = Math.min(least, edits);
    }
    if (least > limit) return least;
  }
  return valueAt(row, right.length);
}

function valueAt(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
