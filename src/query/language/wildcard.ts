// Wildcard patterns against short texts: `*` any run, `?` one code point, `\\` makes the next one literal.
// Regular expressions would take exponential time on patterns like `*a*a*a*b`; this never does.

/** A pattern cut into `*`, `?` and literal code points (those after `\\` with it). */
export function wildcardParts(pattern: string): readonly string[] {
  return pattern.match(/\\[\s\S]|[\s\S]/gu) ?? [];
}

/** Greedy, going back to the last `*` only, so it takes pattern times value steps at most. */
export function wildcardMeets(parts: readonly string[], value: string): boolean {
  const chars = [...value];
  let part = 0;
  let char = 0;
  let star = -1;
  let starChar = 0;
  while (char < chars.length) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = part;
      starChar = char;
      part += 1;
    } else if (wanted === '?' || (wanted !== undefined && literalOf(wanted) === chars[char])) {
      part += 1;
      char += 1;
    } else if (star !== -1) {
      part = star + 1;
      starChar += 1;
      char = starChar;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}

function literalOf(part: string): string {
  return part.startsWith('\\') ? part.slice(1) : part;
}
