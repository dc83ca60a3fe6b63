// What a request to import has, and a request to preview one: flags, how CSV is written, and the body.
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { SourceLine } from '../../json/json-source.ts';
import type { CsvTexts, ReadLines } from '../../service/imports/csv/csv-import.ts';
import { partyOf } from '../admission/capacity.ts';
import { type ImportBodyRules, importLines } from '../admission/import-body.ts';
import { queryParameter, queryParameters } from '../requests/endpoint.ts';

/** True, or false if the parameter is absent. @throws ServiceError `request_invalid` */
export function readFlag(request: FastifyRequest, name: string): boolean {
  const value = queryParameter(request, name)?.toLowerCase();
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new ServiceError('request_invalid', `${name} must be true, false or left out.`);
}

/**
 * How the rows of a body are written: by its query parameters, and the charset of its media type.
 * @returns texts for `readCsvForm`; null for a body that is no CSV
 * @throws ServiceError `request_invalid` for a parameter of CSV beside another type
 */
export function csvTextsOf(request: FastifyRequest): CsvTexts | null {
  const [type = '', ...parameters] = request.headers['content-type']?.split(';') ?? [];
  const texts = queryParameters(request, ['map', 'separator', 'encoding']);
  if (type.trim().toLowerCase() !== 'text/csv') {
    const [name] = Object.keys(texts);
    if (name === undefined) return null;
    throw new ServiceError('request_invalid', `${name} is for CSV: send Content-Type text/csv.`);
  }
  const charset = parameters.flatMap(
    (one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1] ?? [],
  );
  return { encoding: charset[0], ...texts };
}

/** Streams the lines of the body. */
export function linesOf(
  request: FastifyRequest,
  imports: ImportBodyRules,
  read?: ReadLines,
): AsyncGenerator<SourceLine> {
  const body = request.body as IncomingMessage | undefined;
  if (body === undefined) {
    throw new ServiceError('body_malformed', 'The request has no body.');
  }
  const isGzip = request.headers['content-encoding']?.trim().toLowerCase() === 'gzip';
  return importLines(body, isGzip ? 'gzip' : 'identity', partyOf(request), imports, read);
}
