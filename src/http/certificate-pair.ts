// A server's certificate with its key: checked with sentences that name the file at fault, the times
// between which it is valid, and how a server speaks TLS with it.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import { ServiceError } from '../errors.ts';

/** Certificate chain and key, PEM, and the paths that they were read from. */
export interface TlsFiles {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate whose key belongs to it. */
export interface CertificatePair extends TlsFiles {
  /** Epoch milliseconds, of the first certificate of the chain. */
  readonly validFrom: number;
  readonly validTo: number;
}

/**
 * Suites of TLS 1.2 with forward secrecy and authenticated encryption, as RFC 9325 section 4.2
 * recommends, with ChaCha20 (RFC 7905); those of TLS 1.3 are the defaults of Node.
 */
const CIPHERS = [
  ...DEFAULT_CIPHERS.split(':').filter((name) => name.startsWith('TLS_')),
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/** How a server speaks TLS with a pair. */
export function secureContextOf({
  cert,
  key,
}: Pick<TlsFiles, 'cert' | 'key'>): SecureContextOptions {
  return { cert, key, ciphers: CIPHERS, minVersion: 'TLSv1.2' };
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;
const KEY = /-----BEGIN (?:\w+ )*PRIVATE KEY-----/;

/**
 * Checks that certificate and key can be used together, whether they are valid now or not.
 * @throws ServiceError `unavailable`: which file is wrong, and what to do
 */
export function checkedPair(files: TlsFiles): CertificatePair {
  const { certFile, keyFile } = files;
  const certificate = certificateIn(files);
  if (!certificate.checkPrivateKey(keyIn(files))) {
    throw unusable(
      `The key in ${keyFile} does not belong to the certificate in ${certFile}: use the key that it was issued for, and put the certificate of the server first in its file`,
    );
  }
  try {
    createSecureContext(secureContextOf(files));
  } catch (error) {
    throw unusable(`${certFile} cannot be used: ${(error as Error).message}`);
  }
  const { validFrom, validTo } = certificate;
  return { ...files, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) };
}

function certificateIn({ cert, certFile }: TlsFiles): X509Certificate {
  const text = String(cert);
  if (!CERTIFICATE.test(text)) {
    throw unusable(
      KEY.test(text)
        ? `${certFile} is a private key and no certificate: set CARDEA_TLS_KEY to it, and CARDEA_TLS_CERT to the certificate`
        : `${certFile} is no certificate in PEM: set CARDEA_TLS_CERT to a file with the line -----BEGIN CERTIFICATE-----`,
    );
  }
  try {
    return new X509Certificate(cert);
  } catch {
    throw unusable(`The certificate in ${certFile} is damaged: copy it there again`);
  }
}

function keyIn({ key, keyFile }: TlsFiles): KeyObject {
  if (!KEY.test(String(key))) {
    throw unusable(
      `${keyFile} is no private key in PEM: set CARDEA_TLS_KEY to a file with a line such as -----BEGIN PRIVATE KEY-----`,
    );
  }
  // PKCS #8 (RFC 5958), and the earlier form (RFC 1421).
  if (/ENCRYPTED/.test(String(key))) {
    throw unusable(
      `The private key in ${keyFile} is encrypted, and a server has no passphrase for it: write it without one, with openssl pkey -in ${keyFile} -out FILE`,
    );
  }
  try {
    return createPrivateKey(key);
  } catch {
    throw unusable(`The private key in ${keyFile} is damaged: copy it there again`);
  }
}

function unusable(clause: string): ServiceError {
  return new ServiceError('unavailable', `${clause}.`);
}

const DAY_MS = 86_400_000;
/** The days before its end from which on a certificate is warned of. */
const WARNING_DAYS = 14;

/** Whether clients accept a certificate now, as far as its time goes. */
export type Validity = 'valid' | 'ends soon' | 'ended' | 'not yet';

export function validityOf(
  { validFrom, validTo }: Pick<CertificatePair, 'validFrom' | 'validTo'>,
  now: number,
): Validity {
  if (now < validFrom) return 'not yet';
  if (now > validTo) return 'ended';
  return validTo - now <= WARNING_DAYS * DAY_MS ? 'ends soon' : 'valid';
}

/** A sentence about a certificate that anybody may read; null if nothing is to be done. */
export function validityWarning(pair: CertificatePair, now: number): string | null {
  const [from, to] = [pair.validFrom, pair.validTo].map((time) => new Date(time).toISOString());
  const days = Math.floor((pair.validTo - now) / DAY_MS);
  const left = days === 0 ? 'within a day' : `in ${days} ${days === 1 ? 'day' : 'days'}`;
  switch (validityOf(pair, now)) {
    case 'valid':
      return null;
    case 'ends soon':
      return `The TLS certificate expires ${left}, at ${to}: renew it.`;
    case 'ended':
      return `The TLS certificate expired at ${to}, so clients refuse it: renew it.`;
    case 'not yet':
      return `The TLS certificate is not valid before ${from}, so clients refuse it until then.`;
  }
}
