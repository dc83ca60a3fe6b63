// The files of an export, in one directory. Each is written under the name NAME.partial, and all get
// their names at the end, when they are complete and on the disk.
// Invariant: a file without .partial is whole; only its owner can read it.
// Invariant: a directory has the files of one export, so an anonymised one never shares it with real data.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileFault } from '../../config/file-fault.ts';
import { UsageError } from '../common/context.ts';

const PARTIAL = '.partial';
const GZIP = '.gz';

/** Some lines of a file. */
interface Lines {
  readonly bytes: Uint8Array;
  readonly count: number;
}

export interface WrittenFile {
  readonly path: string;
  readonly lines: number;
  /** On the disk, compressed if the file is. */
  readonly bytes: number;
}

export interface OutputOptions {
  readonly gzip: boolean;
  readonly overwrite: boolean;
}

export class OutputFiles {
  readonly #directory: string;
  readonly #options: OutputOptions;
  readonly #written: { readonly path: string; readonly lines: number }[] = [];

  /** Files of an earlier export, compressed or not. */
  readonly #earlier: readonly string[];

  /**
   * Creates the directory if it is missing.
   * @param names of all files that an export may have
   * @throws UsageError if one of them exists and may not be overwritten, or the directory cannot be
   * created
   */
  constructor(directory: string, names: readonly string[], options: OutputOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#earlier = names
      .flatMap((name) => [join(directory, name), join(directory, name + GZIP)])
      .filter((path) => existsSync(path));
    const { length } = this.#earlier;
    if (length > 0 && !options.overwrite) {
      throw new UsageError([
        `${this.#earlier.join(' and ')} ${length === 1 ? 'exists' : 'exist'}: choose another directory, or add --overwrite, which replaces all files of an earlier export.`,
      ]);
    }
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new UsageError([`--to ${directory} cannot be created: ${fileFault(error)}.`]);
    }
  }

  /** Writes a file under its partial name. @param onLines called with the number of its lines */
  async write(
    name: string,
    source: AsyncIterable<Lines>,
    onLines: (count: number) => void,
  ): Promise<void> {
    const path = this.#path(name);
    const partial = path + PARTIAL;
    rmSync(partial, { force: true });
    let lines = 0;
    async function* bytes() {
      for await (const part of source) {
        lines += part.count;
        if (part.bytes.length > 0) yield part.bytes;
        onLines(lines);
      }
    }
    this.#written.push({
      path,
      get lines() {
        return lines;
      },
    });
    // Open before the source may fail, since otherwise it might be created after `discard`.
    const file = (await open(partial, 'wx', 0o600)).createWriteStream({ flush: true });
    const content = Readable.from(bytes(), { objectMode: false });
    await (this.#options.gzip ? pipeline(content, createGzip(), file) : pipeline(content, file));
  }

  /** Gives all files their names, and removes what else an earlier export has left. */
  commit(): readonly WrittenFile[] {
    const paths = new Set(this.#written.map(({ path }) => path));
    for (const path of this.#earlier) if (!paths.has(path)) rmSync(path);
    return this.#written.map(({ path, lines }) => {
      renameSync(path + PARTIAL, path);
      return { path, lines, bytes: statSync(path).size };
    });
  }

  /** Removes what was written so far. */
  discard(): void {
    for (const { path } of this.#written) rmSync(path + PARTIAL, { force: true });
  }

  #path(name: string): string {
    return join(this.#directory, this.#options.gzip ? name + GZIP : name);
  }
}
