// Tells a body that is one JSON object, in one line or several, from the lines of an import.
import type { SourceLine } from '../../json/json-source.ts';
import { parseJsonBody } from './json-body.ts';

/** Most bytes of an object. */
const OBJECT_BYTES_MAX = 65_536;
const NEWLINE = Buffer.from('\n');

/** One object, or lines to import. */
export type Content = { readonly object: unknown } | { readonly lines: AsyncIterable<SourceLine> };

/**
 * Reads as much of a body as decides. Only a body of the type `application/json` may be one object;
 * an array, also of one element, stays lines.
 * @throws ServiceError `body_malformed` for a single line that is not JSON
 */
export async function singleObject(
  lines: AsyncGenerator<SourceLine>,
  contentType: string | undefined,
): Promise<Content> {
  if (!/^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '')) return { lines };
  const first = await nextLine(lines);
  if (first === null) return { lines };
  const read = [first];
  let bytes = first.text.length;
  const isPart = ({ fault }: SourceLine) => fault === undefined && bytes <= OBJECT_BYTES_MAX;
  if (first.isElement === true || !isPart(first)) return { lines: continued(read, lines) };
  const isWhole = isJson(read);
  for (let line = await nextLine(lines); line !== null; line = await nextLine(lines)) {
    read.push(line);
    bytes += line.text.length;
    if (isWhole || !isPart(line)) return { lines: continued(read, lines) };
  }
  if (read.length > 1 && !isJson(read)) return { lines: continued(read, lines) };
  return { object: parseJsonBody(bytesOf(read)) };
}

async function nextLine(lines: AsyncGenerator<SourceLine>): Promise<SourceLine | null> {
  const { done, value } = await lines.next();
  return done === true ? null : value;
}

async function* continued(
  read: readonly SourceLine[],
  lines: AsyncGenerator<SourceLine>,
): AsyncGenerator<SourceLine> {
  try {
    yield* read;
    yield* lines;
  } finally {
    // Ends the body also when the import stops before all that was read is used.
    await lines.return(undefined);
  }
}

/** True if the lines together are one JSON text. */
function isJson(lines: readonly SourceLine[]): boolean {
  try {
    JSON.parse(bytesOf(lines).toString());
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function bytesOf(lines: readonly SourceLine[]): Buffer {
  return Buffer.concat(lines.flatMap(({ text }) => [Buffer.from(text), NEWLINE]));
}
