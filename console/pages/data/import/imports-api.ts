// Calls of the import: the preview of the beginning of a file, and the import of all of it.
import type { IndexName } from '../../../../src/query/query.ts';
import { callJson } from '../../../api/client.ts';
import { SERVICE } from '../../../api/connection.ts';
import { ApiFault, faultOfAnswer } from '../../../api/fault.ts';
import { session } from '../../../api/session.ts';
import type { ImportMap } from '../../../model/import-map.ts';

/** What a file has. `documents` are of the types that they name. */
export type ImportTarget = IndexName | 'documents' | 'auth-users';

/** How a file is read. */
export interface ImportForm {
  readonly target: ImportTarget;
  /** Of CSV: one character or a name; '' for what the file has. */
  readonly separator: string;
  readonly encoding: string;
  /** Of CSV; null: its heads are names of members, or, of a preview, a suggested one. */
  readonly map: ImportMap | null;
}

/** A line, and what is to say of it. */
export interface LineNote {
  readonly line: number;
  readonly reason: string;
}

/** The result of an import. */
export interface ImportReport {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** The first 100. */
  readonly faults: readonly LineNote[];
  readonly warned: number;
  /** The first 100. */
  readonly warnings: readonly LineNote[];
}

/** How the first lines of a file would be imported. */
export interface ImportPreview {
  readonly columns: readonly { readonly head: string; readonly examples: readonly string[] }[];
  readonly members: readonly string[];
  readonly map: ImportMap | null;
  readonly missing: readonly string[];
  readonly rows: readonly { readonly line: number; readonly record: object }[];
  readonly checked: number;
  readonly faults: readonly LineNote[];
  readonly warnings: readonly LineNote[];
}

const NOTHING: ImportReport = {
  ...{ created: 0, updated: 0, unchanged: 0, failed: 0, warned: 0, faults: [], warnings: [] },
};
const SAMPLE_BYTES = 256 * 1024;

/** True for a file that is read as CSV. */
export function isCsv({ name }: File): boolean {
  return /\.(?:[ct]sv|txt)(?:\.gz)?$/i.test(name);
}

/** Previews a file. @throws ApiFault */
export async function previewImport(
  file: File,
  form: ImportForm,
  signal: AbortSignal,
): Promise<ImportPreview> {
  const { sample, isPartial } = await sampleOf(file);
  const path = pathOf(form, 'preview', isPartial ? { partial: 'true' } : {});
  return callJson(path, { method: 'POST', body: sample, type: typeOf(file), signal });
}

/**
 * Imports a file, with XMLHttpRequest since fetch does not report upload progress.
 * @param onSent bytes sent so far
 * @throws ApiFault
 */
export function importFile(
  file: File,
  form: ImportForm,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<ImportReport> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    // Auth users are read from the store, so nothing waits for the index.
    const wait: Record<string, string> = form.target === 'auth-users' ? {} : { refresh: 'wait' };
    request.open('POST', new URL(pathOf(form, '', wait), SERVICE));
    request.setRequestHeader('authorization', `Bearer ${session.get()?.token ?? ''}`);
    request.setRequestHeader('cardea-test', 'setup');
    request.setRequestHeader('content-type', typeOf(file));
    if (isGzip(file)) request.setRequestHeader('content-encoding', 'gzip');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      if (request.status === 200) resolve(request.response as ImportReport);
      // A file of one object creates an auth user.
      else if (request.status === 201) resolve({ ...NOTHING, created: 1 });
      else reject(faultOfAnswer(request.status, request.response));
    };
    request.onerror = () =>
      reject(
        new ApiFault(
          'unavailable',
          'The connection was lost. Lines received until then were imported.',
        ),
      );
    request.onabort = () =>
      reject(new ApiFault('refused', 'Import cancelled. Lines received until then were imported.'));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function pathOf(
  { target, separator, encoding, map }: ImportForm,
  step: 'preview' | '',
  others: Readonly<Record<string, string>>,
): string {
  const isUsers = target === 'auth-users';
  const parameters = new URLSearchParams(others);
  if (!isUsers && target !== 'documents') parameters.set('index', target);
  if (separator !== '') parameters.set('separator', separator);
  if (encoding !== '') parameters.set('encoding', encoding);
  if (map !== null) parameters.set('map', JSON.stringify(map));
  const path = `admin/v1/${isUsers ? 'auth-users' : 'documents'}${step === '' ? '' : `/${step}`}`;
  return `${path}?${parameters}`;
}

function typeOf(file: File): string {
  if (isCsv(file)) return 'text/csv';
  return /\.json(\.gz)?$/i.test(file.name) ? 'application/json' : 'application/x-ndjson';
}

function isGzip({ name }: File): boolean {
  return /\.gz$/i.test(name);
}

/** The beginning of a file, inflated. @throws ApiFault `refused` for a file that is not gzip */
async function sampleOf(file: File): Promise<{ sample: Blob; isPartial: boolean }> {
  if (!isGzip(file)) {
    return { sample: file.slice(0, SAMPLE_BYTES), isPartial: file.size > SAMPLE_BYTES };
  }
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { sample: new Blob(chunks), isPartial: false };
      chunks.push(value as Uint8Array<ArrayBuffer>);
      length += value.length;
      if (length > SAMPLE_BYTES) break;
    }
  } catch {
    throw new ApiFault('refused', `${file.name} is not gzip, or is cut off.`);
  }
  void reader.cancel();
  return { sample: new Blob(chunks).slice(0, SAMPLE_BYTES), isPartial: true };
}
