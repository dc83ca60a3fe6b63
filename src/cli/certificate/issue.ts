// Issues X.509 certificates: a certificate authority and certificates of servers (RFC 5280).
// It loads the library for X.509, so only a command that issues something imports it.
import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, both PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** The first and the last moment of a certificate, in ms since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Issues a certificate authority, which may sign certificates of servers but no further authority. */
export async function issueAuthority(validity: Validity): Promise<Pair> {
  const keys = await newKeys();
  const name = `CN=Cardea local authority ${randomBytes(4).toString('hex')}`;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ ...commonOptions(validity), name, keys },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pairOf(certificate, keys);
}

/**
 * Issues a certificate of a server.
 * @param names host names and IP addresses, as `certificateName` returns them
 */
export async function issueServer(
  authority: Pair,
  names: readonly string[],
  validity: Validity,
): Promise<Pair> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const pkcs8 = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ ...commonOptions(validity), issuer: issuer.subject, subject: 'CN=Cardea' },
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return pairOf(certificate, keys);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function commonOptions({ from, until }: Validity) {
  return { notBefore: new Date(from), notAfter: new Date(until), signingAlgorithm: ALGORITHM };
}

async function pairOf(
  certificate: x509.X509Certificate,
  { privateKey }: webcrypto.CryptoKeyPair,
): Promise<Pair> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
  };
}
