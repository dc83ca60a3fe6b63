// A backup of the SQLite store: a directory with one database file and a description with its hash.
// It can be made while a server runs, and is verified before it is completed.
// Invariant: a directory without `backup.json` is no backup; that file is written last, after the
// rest is flushed.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileFault, readRegularFile } from '../../config/file-fault.ts';
import { ServiceError } from '../../errors.ts';
import { parseJson } from '../../json/json-syntax.ts';
import { runInProcess } from '../../scheduling/child-process.ts';
import { programBeside } from '../../scheduling/program-beside.ts';
import type { DocumentDamage } from '../../service/ports/store.ts';
import type { BackupJob } from './backup-process.ts';
import { damagedDocuments, storeFaults } from './integrity.ts';
import { openConnection } from './sqlite-driver.ts';

/** The content of `backup.json`. */
export interface BackupDescription {
  readonly format: 1;
  /** Version of the program. */
  readonly version: string;
  /** ISO 8601. */
  readonly created: string;
  /** Sequence of the last change in the backup. */
  readonly sequence: number;
  readonly tenants: number;
  readonly documents: number;
  /** Documents that were damaged in the store, and are in the backup as they are. */
  readonly damage: DocumentDamage;
  readonly bytes: number;
  /** Hash of the database file, hexadecimal. */
  readonly sha256: string;
}

/** Receives the progress in bytes; cancels by throwing. */
export interface BackupWatch {
  progress(step: 'Copying' | 'Checking' | 'Restoring', done: number, total: number): void;
}

export interface BackupRequest {
  /** The database file. */
  readonly path: string;
  /** The backup: a directory that does not exist, or has no backup. */
  readonly directory: string;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

export const BACKUP_FILE = 'cardea.db';
const DESCRIPTION_FILE = 'backup.json';
const PROGRESS_MS = 100;
const BUSY_MS = 10_000;
/** What SQLite applies to the file of that name when it opens it. */
const LOGS = ['-wal', '-journal'];

/**
 * Copies a snapshot of the store and verifies the copy. A server may run and write meanwhile.
 * @throws ServiceError `unavailable` if it cannot be copied, or the directory has a backup; partial
 * files, also those of killed backups into it, and directories that were created for them, are removed
 */
export async function backUp(
  { path, directory, version, now }: BackupRequest,
  watch: BackupWatch,
): Promise<BackupDescription> {
  const target = join(directory, BACKUP_FILE);
  if (existsSync(target) || existsSync(join(directory, DESCRIPTION_FILE))) {
    const what = existsSync(join(directory, DESCRIPTION_FILE))
      ? 'a backup already'
      : `a ${BACKUP_FILE} that is no backup, as of one that did not end`;
    throw refused(`${directory} holds ${what}: choose another directory.`);
  }
  const partial = `${target}.${process.pid}.partial`;
  let created: string | undefined;
  let isOurs = false;
  try {
    created = mkdirSync(directory, { recursive: true, mode: 0o700 });
    removeKilled(directory);
    await copyInProcess({ path, target: partial }, watch);
    // The file contains signing keys.
    chmodSync(partial, 0o600);
    flush(partial);
    const faults = await storeFaults(partial);
    if (faults.length > 0) throw refused(`The copy is not sound: ${faults.join('; ')}`);
    const counts = await countsOf(partial, path);
    const damage = await damagedDocuments(partial);
    const sha256 = await hashOf(partial, 'Checking', watch);
    const description: BackupDescription = {
      format: 1,
      version,
      created: new Date(now).toISOString(),
      ...counts,
      damage,
      bytes: statSync(partial).size,
      sha256,
    };
    claim(target, directory);
    isOurs = true;
    renameSync(partial, target);
    const written = join(directory, `${DESCRIPTION_FILE}.partial`);
    writeFileSync(written, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
    flush(written);
    renameSync(written, join(directory, DESCRIPTION_FILE));
    flush(directory);
    return description;
  } catch (error) {
    const description = join(directory, DESCRIPTION_FILE);
    const whole = isOurs ? [target, `${description}.partial`, description] : [];
    for (const path of [partial, ...whole]) rmSync(path, { force: true });
    if (created !== undefined) removeEmpty(directory, created);
    throw error;
  }
}

/** Removes the copies of backups into this directory that were killed; others may be at work. */
function removeKilled(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = /^cardea\.db\.(\d+)\.partial$/.exec(name)?.[1];
    if (pid !== undefined && !isOfOther(Number(pid)))
      rmSync(join(directory, name), { force: true });
  }
}

/** True if another process has this number. */
function isOfOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Takes the name of the backup's file. @throws ServiceError `unavailable` if another backup has it */
function claim(target: string, directory: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw refused(`Another backup into ${directory} was faster: choose another directory.`);
  }
}

/** Removes `directory` and its parents up to `top`, as far as they are empty. */
function removeEmpty(directory: string, top: string): void {
  for (let path = resolve(directory); path.startsWith(resolve(top)); path = dirname(path)) {
    if (readdirSync(path).length > 0) return;
    rmdirSync(path);
  }
}

/**
 * Compares a backup with its description, and checks its documents.
 * @throws ServiceError `unavailable` if the directory is no backup, or an incomplete one
 */
export async function verifyBackup(
  directory: string,
  watch: BackupWatch,
): Promise<BackupDescription> {
  const description = readDescription(directory);
  const path = join(directory, BACKUP_FILE);
  watch.progress('Checking', 0, description.bytes);
  for (const suffix of LOGS) {
    if (lstatSync(path + suffix, { throwIfNoEntry: false }) === undefined) continue;
    const why = `it is no part of a backup, and SQLite would apply it to ${BACKUP_FILE}`;
    throw refused(`${path}${suffix} is in the way: ${why}. Move it away and try again.`);
  }
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) throw refused(`${path} is missing.`);
  if (!file.isFile()) throw refused(`${path} is no regular file: choose another backup.`);
  const bytes = file.size;
  if (bytes !== description.bytes) {
    throw refused(`${path} has ${bytes} bytes of ${description.bytes}: it is not whole.`);
  }
  if ((await hashOf(path, 'Checking', watch)) !== description.sha256) {
    throw refused(`${path} is not what was backed up: its hash is another one.`);
  }
  const counts = await countsOf(path, path);
  for (const [name, count] of Object.entries(counts)) {
    const told = description[name as keyof typeof counts];
    if (told === count) continue;
    throw refused(
      `${join(directory, DESCRIPTION_FILE)} says that ${name} is ${told}, but in ${BACKUP_FILE} it is ${count}: choose another backup.`,
    );
  }
  return { ...description, damage: await damagedDocuments(path) };
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

/** Flushes a file or a directory to the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function readDescription(directory: string): BackupDescription {
  const path = join(directory, DESCRIPTION_FILE);
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(
      code === 'ENOENT'
        ? `${directory} is no backup: it has no ${DESCRIPTION_FILE}.`
        : `${path} cannot be read: ${fileFault(error)}.`,
    );
  }
  const description = Object(
    parseJson(text, (clause) => refused(`${path} is not valid JSON ${clause}`)),
  ) as Partial<BackupDescription>;
  if (description.format !== 1) throw refused(`${path} is of another version.`);
  const wrong = Object.entries(MEMBERS).find(
    ([name, isRight]) => !isRight(description[name as keyof typeof MEMBERS]),
  );
  if (wrong !== undefined) {
    const why = `its ${wrong[0]} is missing or not what a backup writes`;
    throw refused(`${path} is not whole: ${why}. Copy it again or choose another backup.`);
  }
  return description as BackupDescription;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** Which values the members of `backup.json` may have. */
const MEMBERS: Readonly<
  Record<Exclude<keyof BackupDescription, 'format'>, (value: unknown) => boolean>
> = {
  version: isText,
  created: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
  sequence: isNumber,
  tenants: isNumber,
  documents: isNumber,
  damage(value) {
    const { count, documents } = Object(value) as Partial<DocumentDamage>;
    return isNumber(count) && Array.isArray(documents);
  },
  bytes: isNumber,
  sha256: isText,
};

/**
 * Copies in a child process; progress is the size of the copy, which becomes a little smaller than
 * the source.
 */
async function copyInProcess(job: BackupJob, watch: BackupWatch): Promise<void> {
  const total = statSync(job.path).size;
  const reportProgress = () => {
    const done = statSync(job.target, { throwIfNoEntry: false })?.size ?? 0;
    watch.progress('Copying', Math.min(done, total), total);
  };
  reportProgress();
  const broken = new AbortController();
  const timer = setInterval(() => {
    try {
      reportProgress();
    } catch (error) {
      broken.abort(error);
    }
  }, PROGRESS_MS);
  try {
    await runInProcess(programBeside(import.meta.url, 'backup-process'), job, {
      ...{ signal: broken.signal, ended: 'The copy broke off.' },
    });
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error;
  } finally {
    clearInterval(timer);
  }
}

/** @param named the path for messages */
async function countsOf(
  path: string,
  named: string,
): Promise<Pick<BackupDescription, 'sequence' | 'tenants' | 'documents'>> {
  const connection = await openConnection(path, BUSY_MS, 'read');
  try {
    for (const table of ['document', 'sequence_counter', 'tenant', 'document_count']) {
      const found = connection.get('select 1 from sqlite_schema where name = ?', [table]);
      if (found !== undefined) continue;
      throw refused(
        `${named} is no database of Cardea: it has no table ${table}. Choose another one.`,
      );
    }
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
