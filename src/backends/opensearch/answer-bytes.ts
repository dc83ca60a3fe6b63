// Reads the bytes of an answer: documents are cut out, and only what is between them is parsed.
// Invariant: equals JSON.parse of the whole, with the parts of a document for each source that this
// service has fed, and null for any other.
import { type CutSource, cutSource, startsSource } from './source.ts';

/** The name before a source. In JSON these bytes are a name wherever they occur. */
const NAME = Buffer.from('"_source":');

const VERSION = Buffer.from('"_version":');

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
    const source = startsSource(bytes, start)
      ? cutSource(bytes, start, versionBefore(bytes, from, at))
      : null;
    if (source === null) {
      at = bytes.indexOf(NAME, start);
      continue;
    }
    text += bytes.toString('utf8', from, start) + sources.length;
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
function versionBefore(bytes: Buffer, from: number, to: number): number | undefined {
  const before = bytes.subarray(from, to);
  const at = before.lastIndexOf(VERSION);
  if (at === -1) return undefined;
  const start = at + VERSION.length;
  return Number.parseInt(before.toString('latin1', start, start + DIGITS), 10);
}

/** Digits of a number that JSON holds exactly. */
const DIGITS = 16;
