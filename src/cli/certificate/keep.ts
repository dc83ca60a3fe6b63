// The folder with a local certificate authority and the certificate of a server. What is sound is
// kept; a server that uses the files reloads them when they change.
// Invariant: a file that this command has not made is never replaced.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { fileFault } from '../../config/file-fault.ts';
import { UsageError } from '../common/context.ts';
import { readWhole, writeWhole } from '../common/whole-file.ts';
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

/** A certificate that is there, with its key. */
interface Present extends Pair {
  readonly parsed: X509Certificate;
  /** False if the key is missing or another one's, as after a crash. */
  readonly isPair: boolean;
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
  const files: Files = {
    authority: join(directory, 'ca.pem'),
    authorityKey: join(directory, 'ca-key.pem'),
    certificate: join(directory, 'cert.pem'),
    key: join(directory, 'key.pem'),
  };
  const authority = presentPair(files.authority, files.authorityKey);
  if (authority !== null && !isLocalAuthority(authority)) {
    throw foreign(files.authority, 'is no authority that cardea certificate has made with its key');
  }
  const server = presentPair(files.certificate, files.key);
  if (server !== null && !(authority !== null && isIssuedBy(server, authority))) {
    throw foreign(files.certificate, `was not issued by ${files.authority}`);
  }
  const oldNames = namesIn(server?.parsed.subjectAltName);
  const newNames = [...new Set([...(names.length > 0 ? names : oldNames), ...LOCAL_NAMES])];
  const dropped = oldNames.filter((name) => !newNames.includes(name));
  const common = { files, names: newNames, dropped };
  const lasts = ({ parsed }: Present) => expiryOf(parsed) - now > RENEWAL_DAYS * DAY_MS;
  const issuer = authority !== null && lasts(authority) ? authority : null;
  const hasNames = dropped.length === 0 && newNames.length === oldNames.length;
  const isSound = server?.isPair === true && lasts(server) && hasNames;
  if (issuer !== null && isSound && renewal === 'if needed') {
    const expires = expiryOf(server.parsed);
    return { ...common, expires, certificate: 'kept', authority: 'kept' };
  }
  const expires = await issueInto(files, issuer, newNames, now);
  const made = authority === null ? 'new' : 'replaced';
  return { ...common, expires, certificate: 'new', authority: issuer === null ? made : 'kept' };
}

function isLocalAuthority({ parsed, isPair }: Present): boolean {
  return parsed.ca && AUTHORITY_SUBJECT.test(parsed.subject) && isPair;
}

function isIssuedBy(server: Present, authority: Present): boolean {
  return server.parsed.verify(authority.parsed.publicKey);
}

function expiryOf({ validTo }: X509Certificate): number {
  return Date.parse(validTo);
}

/** Issues a certificate, and first an authority if there is none. @returns its last moment */
async function issueInto(
  files: Files,
  authority: Present | null,
  names: readonly string[],
  now: number,
): Promise<number> {
  const { issueAuthority, issueServer } = await import('./issue.ts');
  // Certificates have whole seconds.
  const from = Math.floor((now - CLOCK_SKEW_MS) / 1000) * 1000;
  const ends = authority === null ? from + AUTHORITY_DAYS * DAY_MS : expiryOf(authority.parsed);
  const issuer = authority ?? (await issueAuthority({ from, until: ends }));
  const until = Math.min(from + SERVER_DAYS * DAY_MS, ends);
  const server = await issueServer(issuer, names, { from, until });
  if (authority === null) writePair(files.authority, files.authorityKey, issuer);
  writePair(files.certificate, files.key, server);
  return until;
}

/** @returns null if there is none @throws UsageError for a file that is no certificate, or a key alone */
function presentPair(certificateFile: string, keyFile: string): Present | null {
  const certificate = usable(certificateFile, () => readWhole(certificateFile));
  const key = usable(keyFile, () => readWhole(keyFile));
  if (certificate === null) {
    if (key === null) return null;
    throw foreign(keyFile, `is there without ${certificateFile}`);
  }
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    throw foreign(certificateFile, 'is no certificate');
  }
  return { certificate, key: key ?? '', parsed, isPair: isKeyOf(key ?? '', parsed) };
}

function isKeyOf(key: string, certificate: X509Certificate): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Writes the certificate, then the key; a crash between the two leaves a certificate that is renewed. */
function writePair(certificateFile: string, keyFile: string, { certificate, key }: Pair): void {
  usable(certificateFile, () => writeWhole(certificateFile, certificate, 0o644));
  usable(keyFile, () => writeWhole(keyFile, key));
}

function foreign(file: string, fault: string): UsageError {
  return new UsageError([
    `${file} ${fault}. Nothing was changed: choose another folder with --dir, or move the file away.`,
  ]);
}

/** @throws UsageError if the work with a file fails */
function usable<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError([
      `${file} cannot be used: ${fileFault(error)}. Choose another folder with --dir or --data-dir.`,
    ]);
  }
}
