// The lines of an exported file: newline-delimited JSON, in pieces of some hundred lines.

import { typeOf } from '../query/mapping/document-types.ts';
import type { StoredDocument } from '../service/ports/stored-document.ts';

/** Some whole lines, each with its line feed. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly count: number;
}

const encoder = new TextEncoder();
const LINE_FEED = encoder.encode('\n');
const COMMA = encoder.encode(',');
const END = encoder.encode('}\n');

/** Values as lines. */
export function jsonLines(values: readonly object[]): Lines {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  return { bytes: encoder.encode(text), count: values.length };
}

/** Documents as lines, byte for byte as they are stored, with their `_type`. */
export function documentLines(documents: readonly StoredDocument[]): Lines {
  const parts = documents.flatMap(({ index, root, nested }) => {
    const start = encoder.encode(`{"_type":${JSON.stringify(typeOf(index))},`);
    // `{…}` and `"a":[…]` become `{"_type":…,…,"a":[…]}`.
    return nested.length === 0
      ? [start, root.subarray(1), LINE_FEED]
      : [start, root.subarray(1, -1), COMMA, nested, END];
  });
  return { bytes: Buffer.concat(parts), count: documents.length };
}

/** A stored document as a value, with its `_type`. */
export function documentValue(document: StoredDocument): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(documentLines([document]).bytes).toString());
}
