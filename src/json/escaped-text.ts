// Escapes the characters that a terminal obeys, or that move the text around them: the only place
// that does, for what commands print and for the log.
// Invariant: in JSON only characters inside strings are escaped, so the result is equivalent JSON.

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and format characters that
 * reorder text (UAX #9), change its shapes or hide a part of it.
 */
const ACTIVE = '\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\u206a-\\u206f\\ufff9-\\ufffb';
const IN_LINE = new RegExp(`[${ACTIVE}]`, 'gv');
const IN_LINES = new RegExp(`[[${ACTIVE}]--[\\n\\t\\r]]|\\r(?!\\n)`, 'gv');

/** A text on one line: `\u001b` for ESC, `\u000a` for a line break. */
export function escapeLine(text: string): string {
  return text.replace(IN_LINE, escaped);
}

/** A text whose line breaks and tabs are structure, such as CSV, help, or lines of JSON. */
export function escapeLines(text: string): string {
  return text.replace(IN_LINES, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** As `escapeLines`, for a text in UTF-8 that arrives in pieces. */
export class PieceEscaper {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** A carriage return at the end of a piece; the next one says whether it ends a line. */
  #held = '';

  /** Returns the text of a piece, as far as it is complete. */
  escape(piece: string | Uint8Array): string {
    const decoded =
      typeof piece === 'string' ? piece : this.#decoder.decode(piece, { stream: true });
    const text = this.#held + decoded;
    this.#held = text.endsWith('\r') ? '\r' : '';
    return escapeLines(text.slice(0, text.length - this.#held.length));
  }
}
