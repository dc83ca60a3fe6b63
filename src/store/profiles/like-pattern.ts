// Patterns of SQL's `like` that contain a text as it is.

/**
 * For a pattern with `escape '\'`; SQLite ignores the case of ASCII, but folded text has only one.
 */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
