// Suggests the known name that a user may have meant: the same letters in another case, a leaf of
// the object of that name, the name with the fewest edits, one that it abbreviates (`attributes.dept`
// for `attributes.department`), or one whose last part is like it (`departmnt`).

import { BoundedMap } from '../bounded-map.ts';
import { ObjectNumbers } from '../object-numbers.ts';
import type { Mapping } from './mapping.ts';

/** Longer names have no suggestion. */
const MAX_CHARACTERS = 100;
/** Most edits, as a share of the length of the name. */
const TOLERANCE = 0.4;

/** Most names whose suggestion is kept. */
const NAMES_MAX = 4_096;

/** Suggestions, each computed once per name and set of known names: that takes a millisecond. */
export class NearestNames {
  readonly #nearest = new BoundedMap<string, string | null>(NAMES_MAX);
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
  if (name === '' || name.length > MAX_CHARACTERS) return null;
  const lowerName = name.toLowerCase();
  const best = (matches: (candidate: string) => boolean) =>
    bestOf(candidates.filter((candidate) => matches(candidate.toLowerCase())));
  return (
    best((candidate) => candidate === lowerName) ??
    best((candidate) => candidate === `${lowerName}.name`) ??
    best((candidate) => candidate.startsWith(`${lowerName}.`)) ??
    fewestEdits(lowerName, candidates, (candidate) => candidate) ??
    best((candidate) => hasSameParent(lowerName, candidate) && abbreviates(lowerName, candidate)) ??
    best((candidate) => candidate.endsWith(`.${lowerName}`)) ??
    (lowerName.includes('.') ? null : fewestEdits(lowerName, candidates, lastPart)) ??
    best((candidate) => !lowerName.includes('.') && abbreviates(lowerName, candidate))
  );
}

/** The part of a name after its last dot. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** True if two names have the same parts before the last one. */
function hasSameParent(name: string, candidate: string): boolean {
  return (
    name.slice(0, name.lastIndexOf('.') + 1) === candidate.slice(0, candidate.lastIndexOf('.') + 1)
  );
}

/** Fewer letters abbreviate anything. */
const ABBREVIATION_MIN = 3;

/** True if the last part begins like that of the candidate, and has its other letters in their order. */
function abbreviates(name: string, candidate: string): boolean {
  const [short, long] = [lastPart(name), lastPart(candidate)];
  if (short.length < ABBREVIATION_MIN || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

function toleranceOf(name: string): number {
  return Math.max(1, Math.floor(name.length * TOLERANCE));
}

/** @param compared the part of a candidate that the name is compared with */
function fewestEdits(
  lowerName: string,
  candidates: readonly string[],
  compared: (candidate: string) => string,
): string | null {
  let limit = toleranceOf(lowerName);
  let nearest: string[] = [];
  for (const candidate of candidates) {
    const lowerCandidate = compared(candidate).toLowerCase();
    const edits = editsWithin(limit, lowerName, lowerCandidate);
    if (edits === null || !hasSimilarEnd(lowerName, lowerCandidate)) continue;
    if (edits < limit) nearest = [];
    limit = edits;
    nearest.push(candidate);
  }
  return bestOf(nearest);
}

/** Few edits of a long name may be a last part that is nothing like it. */
function hasSimilarEnd(name: string, candidate: string): boolean {
  const parts = name.split('.').length;
  if (parts === 1 || parts !== candidate.split('.').length) return true;
  const [end, candidateEnd] = [lastPart(name), lastPart(candidate)];
  return editsWithin(toleranceOf(end), end, candidateEnd) !== null;
}

function bestOf(names: readonly string[]): string | null {
  const [best = null] = [...names].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return best;
}

/** Returns the number of edits; null if more than `limit`. */
function editsWithin(limit: number, lowerName: string, candidate: string): number | null {
  if (Math.abs(lowerName.length - candidate.length) > limit) return null;
  const edits = editDistance(lowerName, candidate, limit);
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
