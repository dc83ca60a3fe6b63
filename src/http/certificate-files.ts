// The certificate that a server uses: read again when its files change, so that a renewal needs no
// restart, and warned of before it ends. Files are polled by name: renewals replace files and links,
// which watching an inode would miss.
// Invariant: a key that does not match its certificate, as when one file is written before the
// other, is never used.
// Invariant: a certificate that is not valid now never replaces one that is.
import { unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Logger } from 'pino';
import { readRegularFile } from '../config/file-fault.ts';
import {
  type CertificatePair,
  checkedPair,
  secureContextOf,
  type TlsFiles,
  validityWarning,
} from './certificate-pair.ts';

const POLL_MS = 1_000;
/** How often the times of certificates are compared with the clock. */
const REVIEW_MS = 60_000;
const DAY_MS = 86_400_000;
const UNUSABLE =
  'The files of the TLS certificate cannot be used, and a restart would fail; the log of this node says why.';
const NOT_VALID =
  'The files of the TLS certificate have one that is not valid now; the one before is in use.';

/** The certificate in use, and what is to be said about it and about its files. */
export class ServedCertificate {
  readonly #log: Logger;
  readonly #now: () => number;
  #current: CertificatePair;
  /** The pair in the files, if it is not in use because it is not valid now. */
  #offered: CertificatePair | null = null;
  /** Why the files as they are now are not used, as anybody may read it; null: they are. */
  #unused: string | null = null;
  /** The content of the files when they were last read, or why they could not be. */
  #seen: string;
  #warnedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now the clock, in epoch milliseconds
   * @throws ServiceError `unavailable` that names the file at fault; a certificate that has ended is
   * used, with a warning: clients that do not check it go on, and a renewal is used at once
   */
  constructor(files: TlsFiles, log: Logger, now: () => number) {
    this.#log = log;
    this.#now = now;
    this.#current = checkedPair(files);
    this.#seen = textOf(files);
    this.#warn();
  }

  /** The end of the certificate in use, in epoch milliseconds. */
  get expires(): number {
    return this.#current.validTo;
  }

  /** What is to be done about the certificate and its files; null: nothing. */
  get warning(): string | null {
    const warnings = [validityWarning(this.#current, this.#now()), this.#unused];
    return warnings.filter((warning) => warning !== null).join(' ') || null;
  }

  /** Follows the files on behalf of a server. @returns a function that ends this */
  follow(server: Server): () => void {
    if (!(server instanceof TlsServer)) throw new TypeError('the server has no TLS');
    const { certFile, keyFile } = this.#current;
    const reload = () => this.#reload(server);
    for (const file of [certFile, keyFile]) {
      watchFile(file, { interval: POLL_MS, persistent: false }, reload);
    }
    const review = setInterval(() => {
      // A change before the first poll goes unnoticed by it.
      reload();
      const offered = this.#offered;
      if (offered !== null && isBetter(offered, this.#current, this.#now())) {
        this.#use(server, offered);
      }
      this.#warn();
    }, REVIEW_MS).unref();
    return () => {
      clearInterval(review);
      for (const file of [certFile, keyFile]) unwatchFile(file, reload);
    };
  }

  /** Reads the files, and offers their pair if they are not as they were. */
  #reload(server: TlsServer): void {
    const files = this.#read();
    const seen = files instanceof Error ? files.message : textOf(files);
    if (seen === this.#seen) return;
    this.#seen = seen;
    try {
      if (files instanceof Error) throw files;
      this.#offer(server, checkedPair(files));
    } catch (err) {
      this.#offered = null;
      this.#unused = UNUSABLE;
      this.#log.warn(
        { err },
        'The changed TLS certificate cannot be used; the one before stays in use',
      );
    }
  }

  #read(): TlsFiles | Error {
    const { certFile, keyFile } = this.#current;
    try {
      const [cert, key] = [readRegularFile(certFile), readRegularFile(keyFile)];
      return { cert, key, certFile, keyFile };
    } catch (error) {
      return error as Error;
    }
  }

  /** Uses the pair that the files have now, or keeps the one before, and says which. */
  #offer(server: TlsServer, offered: CertificatePair): void {
    const now = this.#now();
    const dates = datesOf(offered);
    const better = isBetter(offered, this.#current, now);
    if (!isValid(offered, now) && !isValid(this.#current, now)) {
      const choice = better ? 'changed one ends later and is' : 'one before ends later and stays';
      this.#log.warn(
        dates,
        `Neither the changed TLS certificate nor the one before is valid now; the ${choice} in use`,
      );
    } else if (!better) {
      const fault = now > offered.validTo ? 'has expired' : 'is not valid yet';
      this.#log.warn(dates, `The changed TLS certificate ${fault}; the one before stays in use`);
    }
    if (better) {
      this.#use(server, offered);
      return;
    }
    this.#offered = offered;
    this.#unused = NOT_VALID;
  }

  #use(server: TlsServer, pair: CertificatePair): void {
    server.setSecureContext(secureContextOf(pair));
    this.#current = pair;
    this.#offered = null;
    this.#unused = null;
    this.#warnedAt = Number.NEGATIVE_INFINITY;
    this.#log.info(datesOf(pair), 'The TLS certificate was read again');
    this.#warn();
  }

  /** Logs once a day that the certificate ends soon, or is not valid. */
  #warn(): void {
    const now = this.#now();
    const warning = validityWarning(this.#current, now);
    if (warning === null || now - this.#warnedAt < DAY_MS) return;
    this.#warnedAt = now;
    this.#log.warn({ file: this.#current.certFile, ...datesOf(this.#current) }, warning);
  }
}

function textOf({ cert, key }: TlsFiles): string {
  return `${cert}${key}`;
}

function isValid({ validFrom, validTo }: CertificatePair, now: number): boolean {
  return validFrom <= now && now <= validTo;
}

/** Whether an offered certificate replaces the current one: if neither is valid, the later end. */
function isBetter(offered: CertificatePair, current: CertificatePair, now: number): boolean {
  return isValid(offered, now) || (!isValid(current, now) && offered.validTo >= current.validTo);
}

function datesOf({ validFrom, validTo }: CertificatePair): object {
  return {
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
  };
}
