// The folder with a local certificate authority and the certificate of a server. What is sound is
// kept; a server that uses the files reloads them when they change.
// Invariant: a file that this command has not made is never replaced.
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../../config/file-fault.ts';
import { UsageError } from '../common/context.ts';
import type { Pair } from './issue.ts';
import { LOCAL_NAMES, namesIn } from './names.ts';

const DAY_MS = 86_400_000;
/** Clocks of clients may be late by this much. */
const CLOCK_SKEW_MS = 3_600_000;
/** The most that browsers accept of an authority they know (398 days), less one. */
const SERVER_DAYS = 397;
const AUTHORITY_DAYS = 3650;
/** A certificate with fewer days left is replaced. */
export const RENEWAL_DAYS = 30;
const AUTHORITY_SUBJECT = /^CN=Cardea local authority [0-9a-f]{8}$/;

export interface Files {
  readonly authority: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
}

/** What is in the folder afterwards. */
export interface Kept {
  readonly files: Files;
  readonly names: readonly string[];
  /** Names that only the previous certificate had. */
  readonly dropped: readonly string[];
  /** The last moment of the certificate, in ms since 1970. */
  readonly expires: number;
  readonly certificate: 'new' | 'kept';
  /** `replaced`: programs that trust the previous one must be told of it. */
  readonly authority: 'new' | 'kept' | 'replaced';
}

export interface KeepOptions {
  /** In ms since 1970. */
  readonly now: number;
  /** `always`: also if the present certificate is sound. */
  readonly renewal: 'always' | 'if needed';
}

/**
 * Makes sure that a folder has an authority, and a certificate for some names.
 * @param names besides the local ones; empty: those of the present certificate
 * @throws UsageError if the folder cannot be used or holds files of another origin
 */
export async function keepCertificate(
  directory: string,
  names: readonly string[],
  { now, renewal }: KeepOptions,
): Promise<Kept> {
  const files = filesIn(directory);
  const authority = presentAuthority(files);
  const server = presentServer(files, authority);
  const oldNames = server === null ? [] : namesIn(parsed(server).subjectAltName);
  const newNames = [...new Set([...(names.length > 0 ? names : oldNames), ...LOCAL_NAMES])];
  const lasts = (pair: Pair) => expiryOf(pair) - now > RENEWAL_DAYS * DAY_MS;
  const common = {
    files,
    names: newNames,
    dropped: oldNames.filter((name) => !newNames.includes(name)),
  };
  if (authority !== null && lasts(authority)) {
    const sameNames = newNames.length === oldNames.length && common.dropped.length === 0;
    if (server !== null && renewal === 'if needed' && sameNames && lasts(server)) {
      if (isPair(server)) {
        const expires = expiryOf(server);
        return { ...common, expires, certificate: 'kept', authority: 'kept' };
      }
    }
    const expires = await issueInto(files, authority, newNames, now);
    return { ...common, expires, certificate: 'new', authority: 'kept' };
  }
  const expires = await issueInto(files, null, newNames, now);
  const became = authority === null ? 'new' : 'replaced';
  return { ...common, expires, certificate: 'new', authority: became };
}

function filesIn(directory: string): Files {
  return {
    authority: join(directory, 'ca.pem'),
    authorityKey: join(directory, 'ca-key.pem'),
    certificate: join(directory, 'cert.pem'),
    key: join(directory, 'key.pem'),
  };
}

/** @returns null if there is none */
function presentAuthority(files: Files): Pair | null {
  const pair = readPair(files.authority, files.authorityKey);
  if (pair === null) return null;
  const { ca, subject } = parsed(pair);
  if (!ca || !AUTHORITY_SUBJECT.test(subject) || !isPair(pair)) {
    throw foreign(files.authority, 'is no authority that cardea certificate has made with its key');
  }
  return pair;
}

/** @returns null if there is none; its key may be missing or another one's, after a crash */
function presentServer(files: Files, authority: Pair | null): Pair | null {
  const pair = readPair(files.certificate, files.key);
  if (pair === null) return null;
  if (authority === null || !parsed(pair).verify(parsed(authority).publicKey)) {
    throw foreign(files.certificate, `was not issued by ${files.authority}`);
  }
  return pair;
}

/** Issues a certificate, and first an authority if there is none. @returns its last moment */
async function issueInto(
  files: Files,
  authority: Pair | null,
  names: readonly string[],
  now: number,
): Promise<number> {
  const { issueAuthority, issueServer } = await import('./issue.ts');
  // Certificates have whole seconds.
  const from = Math.floor((now - CLOCK_SKEW_MS) / 1000) * 1000;
  const issuer =
    authority ?? (await issueAuthority({ from, until: from + AUTHORITY_DAYS * DAY_MS }));
  const until = Math.min(from + SERVER_DAYS * DAY_MS, expiryOf(issuer));
  const server = await issueServer(issuer, names, { from, until });
  if (authority === null) writePair(files.authority, files.authorityKey, issuer);
  writePair(files.certificate, files.key, server);
  return until;
}

/**
 * Reads a certificate and its key, '' if the key is missing.
 * @returns null if both are missing
 */
function readPair(certificateFile: string, keyFile: string): Pair | null {
  const certificate = readIfThere(certificateFile);
  const key = readIfThere(keyFile);
  if (certificate !== null)
    return { certificate: checked(certificateFile, certificate), key: key ?? '' };
  if (key === null) return null;
  throw foreign(keyFile, `is there without ${certificateFile}`);
}

function checked(file: string, text: string): string {
  try {
    new X509Certificate(text);
    return text;
  } catch {
    throw foreign(file, 'is no certificate');
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(file, error);
  }
}

function parsed({ certificate }: Pair): X509Certificate {
  return new X509Certificate(certificate);
}

function expiryOf(pair: Pair): number {
  return Date.parse(parsed(pair).validTo);
}

/** True if the key is that of the certificate. */
function isPair(pair: Pair): boolean {
  try {
    return parsed(pair).checkPrivateKey(createPrivateKey(pair.key));
  } catch {
    return false;
  }
}

/** Writes the certificate, then the key; a crash between the two leaves a certificate that is renewed. */
function writePair(certificateFile: string, keyFile: string, { certificate, key }: Pair): void {
  writeWhole(certificateFile, certificate, 0o644);
  writeWhole(keyFile, key, 0o600);
}

/** Replaces a file at once, or not at all. */
function writeWhole(file: string, text: string, mode: number): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
    renameSync(draft, file);
  } catch (error) {
    throw unusable(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function foreign(file: string, fault: string): UsageError {
  return new UsageError([
    `${file} ${fault}. Nothing was changed: choose another folder with --dir, or move the file away.`,
  ]);
}

function unusable(file: string, error: unknown): UsageError {
  const reason = fileFault(error);
  return new UsageError([
    `${file} cannot be used: ${reason}. Choose another folder with --dir or --data-dir.`,
  ]);
}
