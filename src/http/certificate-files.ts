// Reloads the server's certificate and key when their files change, so that a renewal needs no
// restart. Files are polled by name: renewals replace files and links, which watching an inode
// would miss.
// Invariant: a key that does not match its certificate, as when one file is written before the
// other, is never used.
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

const POLL_MS = 1_000;

/**
 * Reloads the certificate of a TLS server whenever its files change.
 * @returns a function that stops watching
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
    watchFile(file, { interval: POLL_MS, persistent: false }, reload);
  }
  return () => {
    for (const file of [certFile, keyFile]) unwatchFile(file, reload);
  };
}
