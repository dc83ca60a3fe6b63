// What the command and the route share of an import of CSV: its form, from texts that a person gave,
// and its reader for a kind of record.
import { ServiceError } from '../../../errors.ts';
import type { SourceLine } from '../../../json/json-source.ts';
import type { IndexName } from '../../../query/query.ts';
import type { Documents } from '../documents.ts';
import { invalidMap, parseCsvMap } from './csv-map.ts';
import { readSeparator } from './csv-rows.ts';
import { type CsvForm, csvSource } from './csv-source.ts';
import { AUTH_USER_TARGET, documentTarget } from './csv-target.ts';
import { readEncoding } from './csv-text.ts';

/** Reads the bytes of a source as lines of an import. */
export type ReadLines = (
  source: AsyncIterable<Uint8Array>,
  options?: { onBuffered?(bytes: number): void },
) => AsyncGenerator<SourceLine>;

/** How a file is written, as a person gave it. */
export interface CsvTexts {
  /** YAML or JSON. */
  readonly map?: string | undefined;
  readonly separator?: string | undefined;
  readonly encoding?: string | undefined;
}

/**
 * Reads how a file is written.
 * @throws ServiceError `request_invalid`
 */
export async function readCsvForm(texts: CsvTexts): Promise<CsvForm> {
  const { map, separator, encoding } = texts;
  return {
    map: map === undefined ? null : await parseCsvMap(map),
    separator: separator === undefined ? null : readSeparator(separator),
    encoding: encoding === undefined ? null : readEncoding(encoding),
  };
}

/**
 * The index of a form's documents.
 * @throws ServiceError `request_invalid` if neither the import nor the map names one, or both another
 */
export function csvIndex(named: IndexName | undefined, { map }: CsvForm): IndexName {
  const index = named ?? map?.index;
  if (index === undefined) {
    throw new ServiceError('request_invalid', 'Rows of CSV need an index.', {
      causes: [
        'name the index of the rows: index: identities in the map, --index identities, or ?index=identities',
      ],
    });
  }
  if (map?.index === undefined || map.index === index) return index;
  throw invalidMap([`index is ${map.index}, but the import is into ${index}`]);
}

/** The reader of documents of an index. */
export async function documentReader(
  documents: Pick<Documents, 'mapping'>,
  tenantId: string,
  index: IndexName,
  form: CsvForm,
): Promise<ReadLines> {
  const target = documentTarget(await documents.mapping(tenantId, index));
  return (source, options) => csvSource(source, form, target, options);
}

/**
 * The reader of auth users.
 * @throws ServiceError `request_invalid` for a map of something else
 */
export function authUserReader(form: CsvForm): ReadLines {
  const { index, match } = form.map ?? {};
  if (index !== undefined) {
    throw invalidMap([`index is ${index}, but the import is of auth users`]);
  }
  if (match !== undefined) {
    throw invalidMap(['match is for documents; map a column to the id of the auth user']);
  }
  return (source, options) => csvSource(source, form, AUTH_USER_TARGET, options);
}
