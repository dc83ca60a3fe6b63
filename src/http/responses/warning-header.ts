// The `Warning` header of successful responses, as Elasticsearch sends it (RFC 7234 section 5.5,
// code 299; obsolete for caches, but tools print it).
// Invariant: for any texts, the value is printable ASCII of limited length.
import type { FastifyReply } from 'fastify';

export const WARNING = 'Warning';

/** Most characters of the whole value. */
const MOST_CHARACTERS = 1_000;

/**
 * Adds warnings to a response that has not been sent, after those it has; without any it adds no
 * header.
 * @param agent the `warn-agent` token of RFC 7234; `-` if it does not matter
 */
export function writeWarnings(
  reply: FastifyReply,
  warnings: readonly { text: string }[],
  agent = '-',
): void {
  const texts = warnings.map(({ text }) => text);
  const before = reply.raw.getHeader(WARNING);
  const value = warningValue(texts, agent, typeof before === 'string' ? before : '');
  if (value !== '') reply.raw.setHeader(WARNING, value);
}

/**
 * Formats `299 - "text"` items, joined by commas, after those of `before`; items that do not fit are
 * left out.
 */
export function warningValue(texts: readonly string[], agent = '-', before = ''): string {
  let value = before;
  for (const text of texts) {
    const next = `${value}${value === '' ? '' : ', '}299 ${agent} "${escapeQuoted(text)}"`;
    if (next.length > MOST_CHARACTERS) break;
    value = next;
  }
  return value;
}

/**
 * Escapes a text for a quoted-string (RFC 9110 section 5.6.4), and replaces non-ASCII characters.
 */
function escapeQuoted(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
}
