// Previews of imports: what the beginning of a file would become, by the same parameters and media types as
// the import itself. Nothing is stored.
import type { FastifyRequest } from 'fastify';
import type { SourceLine } from '../../json/json-source.ts';
import { readIndexName } from '../../service/documents/bare-document.ts';
import {
  authUserReader,
  type CsvTexts,
  csvIndex,
  readCsvForm,
} from '../../service/imports/csv/csv-import.ts';
import { parseMapText } from '../../service/imports/csv/csv-map.ts';
import {
  type Check,
  type FileSample,
  type ImportPreview,
  previewCsv,
  previewJson,
} from '../../service/imports/csv/csv-preview.ts';
import { AUTH_USER_TARGET, documentTarget } from '../../service/imports/csv/csv-target.ts';
import type { Documents } from '../../service/imports/documents.ts';
import type { ImportBodyRules } from '../admission/import-body.ts';
import { callerOf, type Endpoint, queryParameter } from '../requests/endpoint.ts';
import { csvTextsOf, linesOf, readFlag } from './import-request.ts';

/** Bytes of a file that a preview reads; the rest is left. */
const SAMPLE_BYTES = 256 * 1024;

type Cases = Pick<Documents, 'checkDocuments' | 'checkAuthUsers' | 'mapping'>;

/** `POST /admin/v1/documents/preview`, `POST /admin/v1/auth-users/preview`. */
export function importPreviewEndpoints(cases: Cases, imports: ImportBodyRules): Endpoint[] {
  const shared = {
    method: 'POST',
    dialect: 'isc',
    operation: 'admin',
    work: 'searches',
    body: 'stream',
  } as const;
  const sampled = (request: FastifyRequest, preview: (sample: FileSample) => Promise<object>) =>
    withSample(request, imports, preview);
  return [
    {
      ...shared,
      path: '/admin/v1/documents/preview',
      handle: (request) => sampled(request, (sample) => previewDocuments(request, cases, sample)),
    },
    {
      ...shared,
      path: '/admin/v1/auth-users/preview',
      handle: (request) => sampled(request, (sample) => previewUsers(request, cases, sample)),
    },
  ];
}

async function previewDocuments(
  request: FastifyRequest,
  cases: Cases,
  sample: FileSample,
): Promise<ImportPreview> {
  const caller = callerOf(request);
  const name = queryParameter(request, 'index');
  const index = name === undefined ? undefined : readIndexName(name);
  const texts = csvTextsOf(request);
  if (texts === null) {
    return previewJson(sample, (lines) =>
      cases.checkDocuments(caller, lines, { index, merge: false }),
    );
  }
  const form = await readCsvForm(texts);
  const rowsOf = csvIndex(index, form);
  const target = documentTarget(await cases.mapping(caller.tenantId, rowsOf));
  return previewCsv(sample, form, await namedMap(texts), target, (lines) =>
    cases.checkDocuments(caller, lines, { index: rowsOf, merge: true }),
  );
}

async function previewUsers(
  request: FastifyRequest,
  cases: Cases,
  sample: FileSample,
): Promise<ImportPreview> {
  const caller = callerOf(request);
  const texts = csvTextsOf(request);
  const check: (merge: boolean) => Check = (merge) => (lines) =>
    cases.checkAuthUsers(caller, lines, { merge });
  if (texts === null) return previewJson(sample, check(false));
  const form = await readCsvForm(texts);
  // Refuses a map of something else.
  authUserReader(form);
  return previewCsv(sample, form, await namedMap(texts), AUTH_USER_TARGET, check(true));
}

async function namedMap({ map }: CsvTexts): Promise<unknown> {
  return map === undefined ? undefined : parseMapText(map);
}

/** Calls `preview` with the beginning of the body, whose memory is counted while it runs. */
async function withSample(
  request: FastifyRequest,
  imports: ImportBodyRules,
  preview: (sample: FileSample) => Promise<object>,
): Promise<object> {
  const isCut = readFlag(request, 'partial');
  for await (const { text } of linesOf(request, imports, readBeginning)) {
    const bytes = Buffer.from(text);
    return preview({ bytes, isCut: isCut || bytes.length === SAMPLE_BYTES });
  }
  throw new Error('the beginning of a body is one line');
}

/** The beginning of a source as one line. */
async function* readBeginning(
  source: AsyncIterable<Uint8Array>,
  { onBuffered }: { onBuffered?(bytes: number): void } = {},
): AsyncGenerator<SourceLine> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    onBuffered?.(length);
    if (length >= SAMPLE_BYTES) break;
  }
  yield { line: 1, text: Buffer.concat(chunks).subarray(0, SAMPLE_BYTES) };
}
