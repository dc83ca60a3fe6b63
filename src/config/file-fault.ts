// Why a file or directory that a setting or a flag names cannot be used, as a clause of a sentence.
import { readFileSync, statSync } from 'node:fs';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a directory',
  EEXIST: 'there is a file of that name',
  ENOENT: 'it does not exist',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk failed',
};

/** The reason in an error of the file system, such as `permission denied`; else its message. */
export function fileFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (Object.hasOwn(REASONS, code) ? REASONS[code] : undefined) ?? message;
}

/**
 * Reads a text file. Of a pipe or a device, reading might never end.
 * @throws an error that `fileFault` tells
 */
export function readRegularFile(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is no regular file');
  return readFileSync(path, 'utf8');
}
