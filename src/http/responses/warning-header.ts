// The `Warning` header: what is worth knowing of an answer that is no fault, as Elasticsearch and others send it
// (RFC 7234 section 5.5, code 299; obsolete for caches, still the name that tools print).
// Invariant: whatever the texts hold, the value is printable ASCII of bounded length.
import type { FastifyReply } from 'fastify';

export const WARNING = 'Warning';

/** Characters of the whole value. */
const MOST_CHARACTERS = 1_000;

/**
 * Adds the warnings to an answer that has not been sent; none leave it as it is.
 * @param agent who warns, a token (RFC 7234: `warn-agent`); `-` where it does not matter
 */
export function writeWarnings(
  reply: FastifyReply,
  warnings: readonly { text: string }[],
  agent = '-',
): void {
  const texts = warnings.map(({ text }) => text);
  const value = warningValue(texts, agent);
  if (value !== '') reply.raw.setHeader(WARNING, value);
}

/** `299 - "text"`, joined by commas; what does not fit is left out whole. */
export function warningValue(texts: readonly string[], agent = '-'): string {
  let value = '';
  for (const text of texts) {
    const next = `${value}${value === '' ? '' : ', '}299 ${agent} "${quotable(text)}"`;
    if (next.length > MOST_CHARACTERS) break;
    value = next;
  }
  return value;
}

/** What a quoted-string may hold (RFC 9110 section 5.6.4), without what lies beyond ASCII. */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
}
