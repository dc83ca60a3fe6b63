// The key that seals the secrets of the store: from a setting, or from a file that is created with
// the first secret.
// Invariant: a key file created here is readable by its owner only and never half written. During a
// replacement the next key is in NAME.new, so that everything sealed can be opened at any moment.
import { randomBytes } from 'node:crypto';
import { accessSync, constants, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault, readRegularFile } from '../../config/file-fault.ts';
import { ServiceError } from '../../errors.ts';
import { SECRETS_KEY_BYTES, secretsKeyId } from './secret-box.ts';

/** The source of the key. Paths are absolute. */
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
   * Returns the key for sealing, and creates a missing file.
   * @throws ServiceError `unavailable` if the file cannot be read or written, or has no key
   */
  current(): Buffer {
    const { source } = this;
    if (source.kind === 'text') return keyIn(source.text, 'CARDEA_SECRETS_KEY');
    return readKeyFile(source.path) ?? makeKeyFile(source.path);
  }

  /**
   * Checks that there is a key, or that its file can be created.
   * @throws ServiceError `unavailable`
   */
  check(): void {
    const { source } = this;
    if (source.kind === 'text' || readKeyFile(source.path) !== null) return;
    try {
      accessSync(dirname(source.path), constants.W_OK | constants.X_OK);
    } catch (error) {
      throw unusable(source.path, `it cannot be created there (${fileFault(error)})`);
    }
  }

  /**
   * The key with this id, or null. Files are read again, as another process may have replaced the
   * key.
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

/** Writes the next key to a file of its own; `install` replaces the current one by it. */
export function stageKeyFile(path: string): { readonly key: Buffer; install(): void } {
  const next = nextPath(path);
  const key = readKeyFile(next) ?? makeKeyFile(next);
  return { key, install: () => renameSync(next, path) };
}

/**
 * Reads the key in a file; null if there is no file.
 * @throws ServiceError `unavailable` if it cannot be read or has no key
 */
export function readKeyFile(path: string): Buffer | null {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(path, fileFault(error));
  }
  return keyIn(text, path);
}

/** Creates a key file, or reads that of a faster process. */
export function makeKeyFile(path: string): Buffer {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, `${randomBytes(SECRETS_KEY_BYTES).toString('hex')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw unusable(path, fileFault(error));
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKeyFile(path);
  if (key === null) throw unusable(path, 'it was deleted right after its creation');
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
