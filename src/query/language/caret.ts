// Shows the place of an error in a query text: the line itself with `^` below the place, as a
// second cause after the sentence that says where and what was expected.
import { ServiceError } from '../../errors.ts';

/** Number of characters of the text that are shown. */
const WIDTH = 60;

/**
 * Runs `make`, which parses `text`. An error with an offset into the text is rethrown with the
 * place shown.
 * @throws the errors of `make`
 */
export function withCaret<T>(text: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.details.offset === undefined) throw error;
    const { causes = [error.message], offset } = error.details;
    throw new ServiceError(error.code, error.message, {
      ...error.details,
      causes: [...causes, caretLine(text, offset)],
    });
  }
}

/**
 * Returns the text around an offset and, on a second line, `^` under the place. Omitted text is
 * shown as `…`, and characters that would break the line as blanks.
 */
export function caretLine(text: string, offset: number): string {
  const before = [...text.slice(0, offset)];
  const behind = [...text.slice(offset)];
  // Near one end of the text, the other side gets more room.
  const room = Math.max(WIDTH / 2, WIDTH - behind.length);
  const head = before.slice(-room);
  const tail = behind.slice(0, WIDTH - head.length);
  const start = head.length < before.length ? '…' : '';
  const end = tail.length < behind.length ? '…' : '';
  const line = `${start}${[...head, ...tail].map(printable).join('')}${end}`;
  return `${line}\n${' '.repeat(start.length + head.length)}^`;
}

/**
 * Replaces characters that have no column of their own or break the line, which would misplace the
 * mark.
 */
function printable(character: string): string {
  return /[\p{C}\p{Z}]/u.test(character) ? ' ' : character;
}
