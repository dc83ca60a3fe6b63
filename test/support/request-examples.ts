// Example requests with their documents: our own, with expected responses, and those of the public
// specification if it is next to the repository. Tests run all that exist, so ours are enough.
import { existsSync, readFileSync } from 'node:fs';

/** The specification next to a working copy; it is not part of the package. */
const SPECIFICATION = '../shared/contract/openapi/search.json';

export interface RequestExample {
  readonly name: string;
  readonly path: 'search' | 'count' | 'aggregate';
  readonly body: Readonly<Record<string, unknown>>;
  /** Ids of the rows, in order. */
  readonly ids?: readonly string[];
  /** Values of a typeahead, in order. */
  readonly values?: readonly string[];
  readonly total?: number;
  readonly aggregations?: Readonly<Record<string, unknown>>;
  /** The same aggregations as CSV. */
  readonly csv?: string;
  /** The example response of the specification; for other documents, so only its shape counts. */
  readonly response?: unknown;
}

export interface Examples {
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly requests: readonly RequestExample[];
}

/** The examples of `test/data`. */
export function ownExamples(): Examples {
  const lines = readFileSync('test/data/documents.ndjson', 'utf8').trim().split('\n');
  return {
    documents: lines.map((line) => JSON.parse(line)),
    requests: JSON.parse(readFileSync('test/data/requests.json', 'utf8')),
  };
}

type Json = { readonly [name: string]: Json };

/** The examples of the public specification; null if it is not available. */
export function publicExamples(): Examples | null {
  if (!existsSync(SPECIFICATION)) return null;
  const file = JSON.parse(readFileSync(SPECIFICATION, 'utf8')) as Json;
  const referred = (example: Json | undefined) =>
    at(file, (example?.['$ref'] as unknown as string | undefined)?.slice(2).split('/'))?.['value'];
  const requests = (['search', 'count', 'aggregate'] as const).flatMap((path) => {
    const operation = at(file, [
      'paths',
      path === 'search' ? '/search' : `/search/${path}`,
      'post',
    ]);
    const bodies = at(operation, ['requestBody', 'content', 'application/json', 'examples']) ?? {};
    const responses = at(operation, [
      'responses',
      '200',
      'content',
      'application/json',
      'examples',
    ]);
    return Object.entries(bodies).map(
      ([name, example]): RequestExample => ({
        name: `${name} of the specification`,
        path,
        body: referred(example) as RequestExample['body'],
        response: referred(responses?.[name]),
      }),
    );
  });
  const documents = Object.values(at(file, ['components', 'examples']) ?? {})
    .flatMap(({ value }) => (Array.isArray(value) ? (value as Json[]) : []))
    .filter(({ _type }) => _type !== undefined && (_type as unknown) !== 'access');
  return { documents, requests };
}

function at(json: Json | undefined, path: readonly string[] = []): Json | undefined {
  return path.reduce<Json | undefined>((value, name) => value?.[name], json);
}
