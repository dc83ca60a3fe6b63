// Lists of keys for `in (…)`. A text with one slot for each key would be a new statement for each
// length, so long lists are split, and padded to a power of two with their last key.

/** Most keys of one query: its rows are read in one go, which must not block the process. */
const KEYS_MAX = 128;

/** The distinct keys, in lists of 1, 2, 4, … or 128; empty if there are no keys. */
export function keyLists(keys: Iterable<string>): string[][] {
  const all = [...new Set(keys)];
  const lists: string[][] = [];
  for (let start = 0; start < all.length; start += KEYS_MAX) {
    const list = all.slice(start, start + KEYS_MAX);
    const last = list[list.length - 1] as string;
    while ((list.length & (list.length - 1)) !== 0) list.push(last);
    lists.push(list);
  }
  return lists;
}
