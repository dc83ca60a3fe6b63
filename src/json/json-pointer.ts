// JSON Pointer (RFC 6901): parsing, formatting and comparing pointers.

/** A pointer's reference tokens, unescaped; empty for the whole document. */
export type Pointer = readonly string[];

const BAD_ESCAPE = /~(?![01])/;
const INDEX = /^(?:0|[1-9]\d*)$/;

/** Parses a pointer (RFC 6901 section 4). @returns null when the text is not a pointer */
export function parsePointer(text: string): Pointer | null {
  if (text !== '' && (!text.startsWith('/') || BAD_ESCAPE.test(text))) return null;
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer in its escaped form. */
export function formatPointer(pointer: Pointer): string {
  return pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** True when `pointer` refers to the value at `prefix` or a value inside it. */
export function isPrefix(prefix: Pointer, pointer: Pointer): boolean {
  return prefix.length <= pointer.length && prefix.every((token, i) => token === pointer[i]);
}

/** True when both pointers refer to the same value. */
export function samePointer(one: Pointer, other: Pointer): boolean {
  return one.length === other.length && isPrefix(one, other);
}

/** True for digits without a leading zero (RFC 6901 section 4). */
export function isArrayIndex(token: string): boolean {
  return INDEX.test(token);
}
