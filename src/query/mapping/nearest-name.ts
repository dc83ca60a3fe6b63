// Which known name somebody may have meant: the same letters in another case, a leaf of the object so called, the
// one that the fewest edits lead to, or one that ends with the name (`department` for `attributes.department`).

/** Longer names are nobody's typing error. */
const MOST_CHARACTERS = 100;
/** The share of a name that may be wrong. */
const TOLERANCE = 0.4;

/**
 * The nearest of the known names, or null where none is near. An object stands for its `name`, or some other leaf.
 * Ties: the shorter, then the lesser by code unit.
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name === '' || name.length > MOST_CHARACTERS) return null;
  const wanted = name.toLowerCase();
  const least = (meant: (candidate: string) => boolean) =>
    leastOf(known.filter((candidate) => meant(candidate.toLowerCase())));
  return (
    least((candidate) => candidate === wanted) ??
    least((candidate) => candidate === `${wanted}.name`) ??
    least((candidate) => candidate.startsWith(`${wanted}.`)) ??
    fewestEdits(wanted, known) ??
    least((candidate) => candidate.endsWith(`.${wanted}`))
  );
}

function fewestEdits(wanted: string, known: readonly string[]): string | null {
  let limit = Math.max(1, Math.floor(wanted.length * TOLERANCE));
  let nearest: string[] = [];
  for (const candidate of known) {
    const edits = editsWithin(limit, wanted, candidate.toLowerCase());
    if (edits === null) continue;
    if (edits < limit) nearest = [];
    limit = edits;
    nearest.push(candidate);
  }
  return leastOf(nearest);
}

function leastOf(names: readonly string[]): string | null {
  const [least = null] = [...names].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return least;
}

/** Edits, when there are no more than `limit`. */
function editsWithin(limit: number, wanted: string, candidate: string): number | null {
  if (Math.abs(wanted.length - candidate.length) > limit) return null;
  const edits = editDistance(wanted, candidate, limit);
  return edits > limit ? null : edits;
}

/**
 * Optimal string alignment distance over UTF-16 units: insert, delete, replace, swap two neighbours.
 * @param limit where to give up: a greater distance comes back as some number above it
 */
export function editDistance(
  left: string,
  right: string,
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
      let edits = Math.min(at(old, j) + 1, at(row, j - 1) + 1, at(old, j - 1) + same);
      const swapped =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) edits = Math.min(edits, at(older, j - 2) + 1);
      row.push(edits);
      least = Math.min(least, edits);
    }
    if (least > limit) return least;
  }
  return at(row, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
