// The content of a delivery, read when it is sent.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type {
  SavedSearch,
  ScheduledSearch,
  SearchRun,
} from '../../service/ports/saved-search-records.ts';
import type { Records, Tenant } from '../../service/ports/store.ts';
import { type Completion, completionOf } from './completion.ts';
import { NeverDeliverable } from './mail-sender.ts';

export interface RunReport {
  readonly tenant: Tenant;
  readonly run: SearchRun;
  readonly search: SavedSearch;
  /** null for a test run, and for a schedule that was deleted since. */
  readonly schedule: ScheduledSearch | null;
  readonly completion: Completion;
  /** The CSV of each type where the query details are displayed and it is small enough. */
  readonly files: readonly { readonly type: string; readonly content: Buffer }[];
}

/** Largest CSV of a mail, all types together. */
const ATTACHED_BYTES_MAX = 5 * 1024 * 1024;
const unzip = promisify(gunzip);

/** @throws NeverDeliverable if the run was deleted */
export async function readReport(
  records: Records,
  tenantId: string,
  runId: string,
): Promise<RunReport> {
  const run = await records.searchRun(tenantId, runId);
  const search = run === null ? null : await records.savedSearch(tenantId, run.savedSearchId);
  const tenant = await records.tenantById(tenantId);
  if (run === null || search === null || tenant === null) throw runDeleted();
  const owner = await records.authUser(tenantId, run.ownerId);
  const schedule =
    run.scheduleId === null ? null : await records.scheduledSearch(tenantId, run.scheduleId);
  const completion = completionOf({ run, search, owner });
  const files = run.displayQueryDetails ? await filesOf(records, tenantId, run) : [];
  // Its parts are deleted with it, maybe after some were read.
  if ((await records.searchRun(tenantId, runId)) === null) throw runDeleted();
  return { tenant, run, search, schedule, completion, files };
}

function runDeleted(): NeverDeliverable {
  return new NeverDeliverable('The run was deleted.');
}

async function filesOf(
  records: Records,
  tenantId: string,
  run: SearchRun,
): Promise<RunReport['files']> {
  const files: { type: string; content: Buffer }[] = [];
  let bytes = 0;
  for (const { type, count } of run.results) {
    if (count === 0) continue;
    const pieces: Buffer[] = [];
    for (let part = 0; ; part += 1) {
      const zipped = await records.runPart(tenantId, run, type, part);
      if (zipped === null) break;
      const piece = await unzip(zipped);
      bytes += piece.length;
      if (bytes > ATTACHED_BYTES_MAX) return [];
      pieces.push(piece);
    }
    files.push({ type, content: Buffer.concat(pieces) });
  }
  return files;
}
