// The objects of NDJSON that arrives in pieces.
import { CommandError } from './context.ts';

/** @throws CommandError if the last line has no end */
export async function* objectsIn<T = Record<string, unknown>>(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  if (rest !== '') throw new CommandError('The server broke off: the rows so far are not all.');
}
