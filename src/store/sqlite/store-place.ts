// Whether the files of an open store are still where they were opened. SQLite goes on with a file that was
// removed or replaced, as its descriptor leads to it: what is written then is gone when the last process
// closes it, or is mixed with what others write to the new file.
// Invariant: opens nothing, as closing a descriptor of the file would release the locks of the process on it.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { ServiceError } from '../../errors.ts';

export class StorePlace {
  /** Each file with what identified it when it was opened. */
  readonly #files: readonly (readonly [path: string, identity: string | null])[];

  /** @param path of a database with a write-ahead log that a connection has read from */
  constructor(path: string) {
    this.#files = [path, `${path}-wal`].map((file) => [file, identityOf(file)]);
  }

  /** Two calls of the system, some microseconds. @throws ServiceError `unavailable` if a file is another one now */
  check(): void {
    for (const [path, identity] of this.#files) {
      if (identityOf(path) === identity) continue;
      throw new ServiceError(
        'unavailable',
        `The file ${basename(path)} of the store was removed or replaced while it is open, so changes, which would be lost, are refused: put it back, or stop what runs on it, and run cardea doctor.`,
      );
    }
  }
}

function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
