// Entity tags (RFC 9110 section 8.8.3): a strong tag over a representation, and the precondition
// If-Match.
import { createHash } from 'node:crypto';

/** A strong tag for a value whose JSON is deterministic. */
export function entityTag(representation: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(representation)).digest('base64url');
  return `"${hash.slice(0, 27)}"`;
}

/**
 * Whether If-Match allows a change (RFC 9110 section 13.1.1). Uses the strong comparison, so a weak
 * tag never matches; neither does a header that is not a list of tags.
 */
export function ifMatchAllows(header: string, current: string): boolean {
  if (header.trim() === '*') return true;
  const tag = /[\s,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y;
  let matched = false;
  while (tag.lastIndex < header.length) {
    const at = tag.lastIndex;
    const match = tag.exec(header);
    if (match === null) return matched && /^[\s,]*$/.test(header.slice(at));
    if (match[1] === undefined && match[2] === current) matched = true;
  }
  return matched;
}
