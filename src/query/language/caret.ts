// A fault of a query text shown in the text: the line itself with `^` under the place, as a second cause behind the
// sentence that says where and what was expected.
import { ServiceError } from '../../errors.ts';

/** How many characters of the text are shown. */
const WIDTH = 60;

/**
 * Runs `make`, which reads `text`; a fault with an offset into the text is thrown again with the place shown.
 * @throws what `make` throws
 */
export function pointed<T>(text: string, make: () => T): T {
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
 * The text around an offset, and below it `^` under the place: two lines joined by a line feed. What is cut off is
 * shown as `…`; whatever would break the line is shown as a blank.
 */
export function caretLine(text: string, offset: number): string {
  const before = [...text.slice(0, offset)];
  const behind = [...text.slice(offset)];
  // A place near an end leaves more room on the other side.
  const room = Math.max(WIDTH / 2, WIDTH - behind.length);
  const head = before.slice(-room);
  const tail = behind.slice(0, WIDTH - head.length);
  const start = head.length < before.length ? '…' : '';
  const end = tail.length < behind.length ? '…' : '';
  const line = `${start}${[...head, ...tail].map(printable).join('')}${end}`;
  return `${line}\n${' '.repeat(start.length + head.length)}^`;
}

/** Characters that take no column of their own, or leave the line, would put the mark in the wrong place. */
function printable(character: string): string {
  return /[\p{C}\p{Z}]/u.test(character) ? ' ' : character;
}
