// Reads the bytes of an answer: documents are cut out, and only what is between them is parsed.
// Invariant: equals JSON.parse of the whole, with the parts of a document for each source that this
// service has fed, and null for any other.
import { type CutSource, cutSource, startsSource } from './source.ts';

/** The name before a source. In JSON these bytes are a name wherever they occur. */
const NAME = Buffer.from('"_source":');

const VERSION = '"_version":';

interface ParsedHits {
  readonly hits?: {
    readonly hits?: readonly {
      _source?: unknown;
      source?: Pick<CutSource, 'parts' | 'stamp'> | null | undefined;
    }[];
  };
}

interface Answer extends ParsedHits {
  readonly responses?: readonly (ParsedHits | null)[];
}

export interface ParsedAnswer {
  readonly value: unknown;
  /** Whether it has sources, which are views of the bytes. */
  readonly hasParts: boolean;
}

/**
 * Parses an answer to a search, or to many. Each hit with a source gets its `source`.
 * @param bytes are overwritten
 */
export function parseAnswer(bytes: Buffer): ParsedAnswer {
  const sources: CutSource[] = [];
  let text = '';
  let from = 0;
  let at = bytes.indexOf(NAME);
  while (at !== -1) {
    const start = at + NAME.length;
    if (!startsSource(bytes, start)) {
      at = bytes.indexOf(NAME, start);
      continue;
    }
    const before = bytes.toString('utf8', from, start);
    const source = cutSource(bytes, start, versionIn(before));
    if (source === null) {
      at = bytes.indexOf(NAME, start);
      continue;
    }
    text += before + sources.length;
    sources.push(source);
    from = source.end;
    at = bytes.indexOf(NAME, from);
  }
  const answer = JSON.parse(text + bytes.toString('utf8', from)) as Answer | null;
  for (const one of answer?.responses ?? [answer]) {
    for (const hit of one?.hits?.hits ?? []) {
      const { _source } = hit;
      if (_source === undefined) continue;
      hit.source = typeof _source === 'number' ? (sources[_source] ?? null) : null;
    }
  }
  return { value: answer, hasParts: sources.length > 0 };
}

/** The `_version` of a hit, which OpenSearch writes before its source. */
function versionIn(before: string): number | undefined {
  const at = before.lastIndexOf(VERSION);
  return at === -1 ? undefined : Number.parseInt(before.slice(at + VERSION.length), 10);
}
