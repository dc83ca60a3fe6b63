// A backup of the SQLite store: a directory with one database file and a description that holds its
// hash. It is made while a server runs, and what was made is read again before it counts.
// Invariant: a directory without `backup.json` is no backup; it is written last, once everything
// else is on the disk.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../errors.ts';
import type { BackupJob, BackupOutcome } from './backup-process.ts';
import { storeFaults } from './integrity.ts';
import { openConnection } from './sqlite-driver.ts';

/** What `backup.json` says. */
export interface BackupDescription {
  readonly format: 1;
  /** Of the program that made it. */
  readonly version: string;
  /** ISO 8601. */
  readonly created: string;
  /** The last change it holds. */
  readonly sequence: number;
  readonly tenants: number;
  readonly documents: number;
  readonly bytes: number;
  /** Of the database file, hexadecimal. */
  readonly sha256: string;
}

/** Hears how far it is, in bytes, and may end it by throwing. */
export interface BackupWatch {
  progress(step: 'Copying' | 'Checking' | 'Restoring', done: number, total: number): void;
}

export interface BackupRequest {
  /** The database file. */
  readonly path: string;
  /** Where it goes: a directory that does not exist, or is empty of backups. */
  readonly directory: string;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

export const BACKUP_FILE = 'cardea.db';
const DESCRIPTION_FILE = 'backup.json';
const LOOK_MS = 100;
const BUSY_MS = 10_000;

/**
 * Copies the store as it is at one moment and checks the copy. A server may run and write
 * meanwhile.
 * @throws ServiceError `unavailable` where it cannot be copied, or the directory holds a backup;
 * what was begun is removed
 */
export async function backUp(
  { path, directory, version, now }: BackupRequest,
  watch: BackupWatch,
): Promise<BackupDescription> {
  const target = join(directory, BACKUP_FILE);
  if (existsSync(target) || existsSync(join(directory, DESCRIPTION_FILE))) {
    throw refused(`${directory} holds a backup already: choose another directory.`);
  }
  const partial = `${target}.partial`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    rmSync(partial, { force: true });
    await copyInProcess({ path, target: partial }, watch);
    // Signing keys lie in it.
    chmodSync(partial, 0o600);
    flush(partial);
    const faults = await storeFaults(partial);
    if (faults.length > 0) throw refused(`The copy is not sound: ${faults.join('; ')}`);
    const counts = await countsOf(partial);
    const sha256 = await hashOf(partial, 'Checking', watch);
    const description: BackupDescription = {
      ...{ format: 1, version, created: new Date(now).toISOString() },
      ...counts,
      ...{ bytes: statSync(partial).size, sha256 },
    };
    renameSync(partial, target);
    const written = join(directory, `${DESCRIPTION_FILE}.partial`);
    writeFileSync(written, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
    flush(written);
    renameSync(written, join(directory, DESCRIPTION_FILE));
    flush(directory);
    return description;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/**
 * Reads a backup and compares it with its description.
 * @throws ServiceError `unavailable` where it is not one, or is not whole
 */
export async function verifyBackup(
  directory: string,
  watch: BackupWatch,
): Promise<BackupDescription> {
  const description = describedIn(directory);
  const path = join(directory, BACKUP_FILE);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw refused(`${path} is missing.`);
  if (bytes !== description.bytes) {
    throw refused(`${path} has ${bytes} bytes of ${description.bytes}: it is not whole.`);
  }
  if ((await hashOf(path, 'Checking', watch)) !== description.sha256) {
    throw refused(`${path} is not what was backed up: its hash is another one.`);
  }
  return description;
}

/** SHA-256 of a file, hexadecimal. */
export async function hashOf(
  path: string,
  step: 'Checking' | 'Restoring',
  watch: BackupWatch,
): Promise<string> {
  const total = statSync(path).size;
  const hash = createHash('sha256');
  let done = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    hash.update(chunk as Buffer);
    done += (chunk as Buffer).length;
    watch.progress(step, done, total);
  }
  return hash.digest('hex');
}

/** Has a file or a directory written to the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function describedIn(directory: string): BackupDescription {
  let described: Partial<BackupDescription>;
  try {
    described = JSON.parse(readFileSync(join(directory, DESCRIPTION_FILE), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(
      code === 'ENOENT'
        ? `${directory} is no backup: it has no ${DESCRIPTION_FILE}.`
        : `${join(directory, DESCRIPTION_FILE)} cannot be read: ${(error as Error).message}`,
    );
  }
  const { format, bytes, sha256 } = described;
  if (format !== 1 || typeof bytes !== 'number' || typeof sha256 !== 'string') {
    throw refused(`${join(directory, DESCRIPTION_FILE)} is of another version.`);
  }
  return described as BackupDescription;
}

/** The size of the copy tells how far it is; it ends up a little smaller than its source. */
async function copyInProcess(job: BackupJob, watch: BackupWatch): Promise<void> {
  const total = statSync(job.path).size;
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const look = () => {
    const done = statSync(job.target, { throwIfNoEntry: false })?.size ?? 0;
    watch.progress('Copying', Math.min(done, total), total);
  };
  look();
  const child = fork(fileURLToPath(new URL(`./backup-process.${suffix}`, import.meta.url)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  try {
    const { fault } = await new Promise<BackupOutcome>((resolve, reject) => {
      child.once('error', reject).once('message', (outcome: BackupOutcome) => resolve(outcome));
      child.once('disconnect', () => reject(refused('The copy broke off.')));
      timer = setInterval(() => {
        try {
          look();
        } catch (error) {
          reject(error);
        }
      }, LOOK_MS);
      child.send(job, (error) => error && reject(error));
    });
    if (fault !== null) throw fault.isRefusal ? refused(fault.message) : new Error(fault.message);
  } finally {
    clearInterval(timer);
    child.kill('SIGKILL');
    await ended;
  }
}

async function countsOf(
  path: string,
): Promise<Pick<BackupDescription, 'sequence' | 'tenants' | 'documents'>> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    const number = (sql: string) => Number(Object.values(connection.get(sql, []) ?? {})[0] ?? 0);
    return {
      sequence: number("select value from sequence_counter where name = 'document'"),
      tenants: number('select count(*) from tenant'),
      documents: number('select coalesce(sum(documents), 0) from document_count'),
    };
  } finally {
    connection.close();
  }
}

function refused(sentence: string): ServiceError {
  return new ServiceError('unavailable', sentence);
}
