// What is probably meant otherwise in a filter that can be read.

const STRING = /"((?:[^"\\]|\\.)*)"/gs;
/** A backslash that escapes neither a quote nor a backslash. */
const LOST_BACKSLASH = /^(?:[^\\]|\\["\\])*?\\([^"\\])/s;
/** Characters of a value that a hint shows. */
const SHOWN_CHARACTERS = 60;

/** Hints about values whose backslash is lost, at most one. */
export function filterHints(filter: string): readonly string[] {
  for (const [, value = ''] of filter.matchAll(STRING)) {
    const escaped = LOST_BACKSLASH.exec(value)?.[1];
    if (escaped === undefined) continue;
    const shown = value.slice(0, SHOWN_CHARACTERS);
    return [
      `filters: in ${shown} the backslash before ${escaped} is no part of the value; write two for one`,
    ];
  }
  return [];
}
