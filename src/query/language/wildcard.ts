// Matches wildcard patterns against short texts: `*` any run, `?` one code point, `\` makes the
// next one literal. A RegExp would take exponential time on patterns like `*a*a*a*b`; this takes
// polynomial time.

/** Splits a pattern into `*`, `?` and literal code points (with their `\`). */
export function wildcardParts(pattern: string): readonly string[] {
  return pattern.match(/\\[\s\S]|[\s\S]/gu) ?? [];
}

/** Matches greedily and backtracks to the last `*` only: at most pattern × value steps. */
export function wildcardMatches(parts: readonly string[], value: string): boolean {
  const chars = [...value];
  let part = 0;
  let char = 0;
  let star = -1;
  let starChar = 0;
  while (char < chars.length) {
    const expected = parts[part];
    if (expected === '*') {
      star = part;
      starChar = char;
      part += 1;
    } else if (
      expected === '?' ||
      (expected !== undefined && literalOf(expected) === chars[char])
    ) {
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
