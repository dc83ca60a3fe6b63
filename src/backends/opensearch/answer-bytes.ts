// Reads the bytes of an answer: documents are cut out, and only what is between them is parsed.
// Invariant: equals JSON.parse of the whole, with the parts of a document for each source.
import { cutSource, type DocumentParts, startsSource } from './source.ts';

/** The name before a source. In JSON these bytes are a name wherever they occur. */
const NAME = Buffer.from('"_source":');

interface ParsedHits {
  readonly hits?: {
    readonly hits?: readonly { _source?: number; parts?: DocumentParts | undefined }[];
  };
}

export interface ParsedAnswer {
  readonly value: unknown;
  /** Whether it has `parts`, which are views of the bytes. */
  readonly hasParts: boolean;
}

/**
 * Parses an answer to a search, or to many. Each hit with a source gets its `parts`.
 * @param bytes are overwritten
 */
export function parseAnswer(bytes: Buffer): ParsedAnswer {
  const sources: DocumentParts[] = [];
  let text = '';
  let from = 0;
  let at = bytes.indexOf(NAME);
  while (at !== -1) {
    const start = at + NAME.length;
    if (startsSource(bytes, start)) {
      const { parts, end } = cutSource(bytes, start);
      text += bytes.toString('utf8', from, start) + sources.length;
      sources.push(parts);
      from = end;
      at = bytes.indexOf(NAME, end);
    } else at = bytes.indexOf(NAME, start);
  }
  const answer: unknown = JSON.parse(text + bytes.toString('utf8', from));
  if (sources.length > 0) {
    const { responses = [answer] } = answer as { readonly responses?: readonly unknown[] };
    for (const one of responses) {
      for (const hit of (one as ParsedHits).hits?.hits ?? []) {
        hit.parts = hit._source === undefined ? undefined : sources[hit._source];
      }
    }
  }
  return { value: answer, hasParts: sources.length > 0 };
}
