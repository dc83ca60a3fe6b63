// The certificate and the key of the server, read again when the files change, so that a renewed certificate needs no restart.
// Files are looked at by name once a second: renewals replace files and links, which watching one inode would miss.
// Invariant: a pair that does not fit together, as when one file is written before the other, is never used.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Logger } from 'pino';

/** Paths of the two PEM files. */
export interface CertificatePaths {
  readonly certFile: string;
  readonly keyFile: string;
}

const LOOK_MS = 1_000;

/**
 * Lets a TLS server use what is in the files from now on.
 * @returns ends the watching
 */
export function watchCertificate(
  server: Server,
  { certFile, keyFile }: CertificatePaths,
  log: Logger,
): () => void {
  if (!(server instanceof TlsServer)) throw new TypeError('the server has no TLS');
  const reload = (): void => {
    try {
      const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
      const certificate = new X509Certificate(cert);
      if (!certificate.checkPrivateKey(createPrivateKey(key))) {
        throw new Error('the key does not belong to the certificate');
      }
      server.setSecureContext({ cert, key });
      log.info({ validTo: certificate.validTo }, 'The TLS certificate was read again');
    } catch (err) {
      log.warn({ err }, 'The changed TLS certificate cannot be used; the one before stays in use');
    }
  };
  for (const file of [certFile, keyFile]) {
    watchFile(file, { interval: LOOK_MS, persistent: false }, reload);
  }
  return () => {
    for (const file of [certFile, keyFile]) unwatchFile(file, reload);
  };
}
