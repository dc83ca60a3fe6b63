// The free space of a disk, for metrics and `/ready`: a full disk refuses every write while reads go
// on, so nothing else shows it.
import { statfsSync } from 'node:fs';

/** Bytes of a file system. */
export interface DiskSpace {
  /** For this user. */
  readonly free: number;
  readonly size: number;
}

/** Least free bytes before a warning: about what the log and the index need until a commit. */
export const LOW_DISK_BYTES = 100 * 1024 * 1024;

/** The space of the file system of `path`; null if the system does not tell. */
export function diskSpace(path: string): DiskSpace | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(path);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch {
    return null;
  }
}

/**
 * A sentence for a disk that is full or nearly so; null if there is enough space. It names no path,
 * as anybody may read `/ready`.
 */
export function diskWarning(space: DiskSpace | null): string | null {
  if (space === null || space.free >= LOW_DISK_BYTES) return null;
  const mebibytes = Math.floor(space.free / 1024 / 1024);
  return `The disk of the data directory has ${mebibytes} MiB free: writes are refused when it is full.`;
}
