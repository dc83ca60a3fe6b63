// Frequency of a phrase with slop (Lucene's SloppyPhraseMatcher). The phrase position of a term is
// its position minus its offset in the phrase; the spread of the phrase positions is the length of
// a match, which is at most `slop`. The least phrase position always advances. Terms that occur
// twice in a phrase must not share a position.
import type { PositionCursor } from './position-cursor.ts';

/** One term of the phrase with its current position in the row. */
class Place {
  readonly cursor: PositionCursor;
  /** Its index in the phrase. */
  readonly offset: number;
  /** The places that share a term with this one, itself included, by offset; null if none. */
  group: Place[] | null = null;
  inGroup = 0;
  position = 0;
  #next = 0;

  constructor(cursor: PositionCursor, offset: number) {
    this.cursor = cursor;
    this.offset = offset;
  }

  start(): void {
    this.#next = 0;
    this.advance();
  }

  /** False when there are no more positions. */
  advance(): boolean {
    if (this.#next >= this.cursor.count) return false;
    this.position = this.cursor.positions[this.#next++]! - this.offset;
    return true;
  }

  get inText(): number {
    return this.position + this.offset;
  }
}

export class SloppyPhrase {
  readonly #slop: number;
  readonly #places: readonly Place[];
  readonly #groups: readonly Place[][];
  /** True when a place of a group has several terms; then two of a group could share a position. */
  readonly #manyTerms: boolean;
  /** Places by position, then offset; few, so a sorted array is enough. */
  readonly #queue: Place[] = [];
  #end = 0;
  #positioned = false;
  #matchLength = 0;

  /** @param terms for each place of the phrase, its possible terms */
  constructor(
    cursors: readonly PositionCursor[],
    terms: readonly (readonly string[])[],
    slop: number,
  ) {
    this.#slop = slop;
    this.#places = cursors.map((cursor, offset) => new Place(cursor, offset));
    this.#groups = repetitions(this.#places, terms);
    this.#manyTerms = this.#groups.some((group) =>
      group.some(({ offset }) => (terms[offset]?.length ?? 0) > 1),
    );
  }

  /** The sum of 1 / (1 + length) over all matches in the row; `first` stops after one. */
  freq(extent: 'all' | 'first'): number {
    this.#positioned = this.#start();
    let freq = 0;
    while (this.#nextMatch()) {
      freq = Math.fround(freq + Math.fround(1 / (1 + this.#matchLength)));
      if (extent === 'first') break;
    }
    return freq;
  }

  #start(): boolean {
    this.#end = Number.NEGATIVE_INFINITY;
    this.#queue.length = 0;
    for (const place of this.#places) place.start();
    for (const group of this.#groups) if (!this.#spread(group)) return false;
    for (const place of this.#places) {
      this.#end = Math.max(this.#end, place.position);
      this.#enqueue(place);
    }
    return true;
  }

  /** Moves the places of a group to different positions; false when positions run out. */
  #spread(group: readonly Place[]): boolean {
    if (!this.#manyTerms) {
      for (const [times, place] of group.entries()) {
        for (let i = 0; i < times; i++) if (!place.advance()) return false;
      }
      return true;
    }
    for (let i = 0; i < group.length; ) {
      let step = 1;
      let place = group[i]!;
      for (let other = collision(place); other !== null; other = collision(place)) {
        const behind = lesser(place, other);
        if (!this.#advance(behind)) return false;
        if (behind.inGroup < i) {
          i = behind.inGroup;
          step = 0;
          break;
        }
        place = group[i]!;
      }
      i += step;
    }
    return true;
  }

  #nextMatch(): boolean {
    if (!this.#positioned) return false;
    let place = this.#queue.shift()!;
    this.#matchLength = this.#end - place.position;
    let next = this.#queue[0]?.position ?? Number.POSITIVE_INFINITY;
    while (this.#advance(place)) {
      if (place.group !== null && !this.#resolve(place)) break;
      if (place.position > next) {
        this.#enqueue(place);
        if (this.#matchLength <= this.#slop) return true;
        place = this.#queue.shift()!;
        next = this.#queue[0]?.position ?? Number.POSITIVE_INFINITY;
        this.#matchLength = this.#end - place.position;
      } else {
        this.#matchLength = Math.min(this.#matchLength, this.#end - place.position);
      }
    }
    this.#positioned = false;
    return this.#matchLength <= this.#slop;
  }

  #advance(place: Place): boolean {
    if (!place.advance()) return false;
    if (place.position > this.#end) this.#end = place.position;
    return true;
  }

  /** After `moved` has advanced: advances the lesser of two colliding places until none collide. */
  #resolve(moved: Place): boolean {
    let place = moved;
    let requeue = false;
    for (let other = collision(place); other !== null; other = collision(place)) {
      place = lesser(place, other);
      if (!this.#advance(place)) return false;
      if (place !== moved) requeue = true;
    }
    if (requeue) this.#queue.sort(inOrder);
    return true;
  }

  #enqueue(place: Place): void {
    const queue = this.#queue;
    let at = queue.length;
    while (at > 0 && inOrder(queue[at - 1]!, place) > 0) at -= 1;
    queue.splice(at, 0, place);
  }
}

function inOrder(a: Place, b: Place): number {
  return a.position - b.position || a.offset - b.offset;
}

function lesser(a: Place, b: Place): Place {
  return inOrder(a, b) <= 0 ? a : b;
}

/** Another place of the group at the same position of the text, or null. */
function collision(place: Place): Place | null {
  for (const other of place.group ?? []) {
    if (other !== place && other.inText === place.inText) return other;
  }
  return null;
}

/** Groups of places that share terms, directly or through others. */
function repetitions(places: readonly Place[], terms: readonly (readonly string[])[]): Place[][] {
  const groupOf = new Map<string, Place[]>();
  for (const place of places) {
    let group: Place[] = [place];
    const own = new Set(terms[place.offset]);
    for (const term of own) {
      const other = groupOf.get(term);
      if (other !== undefined && other !== group) group = [...other, ...group];
      for (const member of group) for (const shared of terms[member.offset]!) own.add(shared);
    }
    for (const term of own) groupOf.set(term, group);
  }
  const groups = [...new Set(groupOf.values())]
    .map((group) => [...new Set(group)].sort((a, b) => a.offset - b.offset))
    .filter((group) => group.length > 1);
  for (const group of groups) {
    group.forEach((place, at) => {
      place.group = group;
      place.inGroup = at;
    });
  }
  return groups;
}
