// The key that seals the secrets of the store: from a setting, or from a file that is made when a
// secret is first sealed.
// Invariant: a key file that is made here is readable by its owner alone and never half written.
// While a key is replaced the next one stands beside it under NAME.new, so that whatever is sealed
// at any moment can be opened.
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ServiceError } from '../../errors.ts';
import { SECRETS_KEY_BYTES, secretsKeyId } from './secret-box.ts';

/** Where the key comes from. Paths are absolute. */
export type SecretsKeySource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** Reads a key: 64 hexadecimal digits, or 32 bytes in base64. @returns null for anything else */
export function parseSecretsKey(text: string): Buffer | null {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return null;
  const key = Buffer.from(trimmed, 'base64');
  return key.length === SECRETS_KEY_BYTES ? key : null;
}

/** The keys of one source. */
export class SecretsKeys {
  readonly source: SecretsKeySource;

  constructor(source: SecretsKeySource) {
    this.source = source;
  }

  /**
   * The key that seals from now on; a file that is missing is made.
   * @throws ServiceError `unavailable` where the file cannot be read or written, or holds no key
   */
  current(): Buffer {
    const { source } = this;
    if (source.kind === 'text') return keyIn(source.text, 'CARDEA_SECRETS_KEY');
    return readKeyFile(source.path) ?? makeKeyFile(source.path);
  }

  /**
   * The key of that id; files are read anew, since another process may have replaced the key. null:
   * not here.
   */
  find(id: string): Buffer | null {
    const { source } = this;
    const keys =
      source.kind === 'text'
        ? [this.current()]
        : [readKeyFile(source.path), readKeyFile(nextPath(source.path))];
    return keys.find((key) => key !== null && secretsKeyId(key) === id) ?? null;
  }
}

/** A key that is to replace the one in a file: written beside it, until `install` puts it there. */
export function stageKeyFile(path: string): { readonly key: Buffer; install(): void } {
  const next = nextPath(path);
  const key = readKeyFile(next) ?? makeKeyFile(next);
  return { key, install: () => renameSync(next, path) };
}

/**
 * The key in a file, or null where there is none.
 * @throws ServiceError `unavailable` where it cannot be read or holds no key
 */
export function readKeyFile(path: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(path, (error as Error).message);
  }
  return keyIn(text, path);
}

/** Makes a key file, or reads that of a process which was faster. */
export function makeKeyFile(path: string): Buffer {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, `${randomBytes(SECRETS_KEY_BYTES).toString('hex')}\n`, {
      ...{ mode: 0o600, flag: 'wx', flush: true },
    });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw unusable(path, (error as Error).message);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKeyFile(path);
  if (key === null) throw unusable(path, 'it went as soon as it was made');
  return key;
}

function nextPath(path: string): string {
  return `${path}.new`;
}

function keyIn(text: string, where: string): Buffer {
  const key = parseSecretsKey(text);
  if (key === null)
    throw unusable(where, 'it must hold 64 hexadecimal digits or 32 bytes in base64');
  return key;
}

function unusable(where: string, why: string): ServiceError {
  return new ServiceError('unavailable', `The secrets key in ${where} cannot be used: ${why}.`);
}
