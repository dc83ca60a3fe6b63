// Issues X.509 certificates (RFC 5280): a certificate authority and certificates of servers.
// It loads the library for X.509, so only a command that issues something imports it.
import { createHash, createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { BitString, Integer, OctetString, Utf8String } from 'asn1js';
import {
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
} from 'pkijs';
import { addressBytes } from './names.ts';

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

const COMMON_NAME = '2.5.4.3';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
};
/** Bits of KeyUsage (RFC 5280, 4.2.1.3), the first bit on the left, and how many on the right are unused. */
const SIGNS_CERTIFICATES = { bits: 0b0000_0110, unused: 1 };
const SIGNS_HANDSHAKES = { bits: 0b1000_0000, unused: 7 };

const DNS_NAME = 2;
const IP_ADDRESS = 7;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SERIAL_BYTES = 16;
const VERSION_3 = 2;

/** Issues a certificate authority, which may sign certificates of servers but no further authority. */
export async function issueAuthority(validity: Validity): Promise<Pair> {
  const keys = await newKeys();
  const name = `Cardea local authority ${randomBytes(4).toString('hex')}`;
  const certificate = newCertificate(name, name, validity);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  certificate.extensions = [
    basicConstraints({ cA: true, pathLenConstraint: 0 }),
    keyUsage(SIGNS_CERTIFICATES),
    new Extension({
      extnID: EXTENSION.subjectKeyIdentifier,
      extnValue: new OctetString({ valueHex: keyIdentifier(certificate) }).toBER(),
    }),
  ];
  return signed(certificate, keys.privateKey, keys.privateKey);
}

/**
 * Issues the certificate of a server.
 * @param names host names and addresses, as `certificateName` returns them
 */
export async function issueServer(
  authority: Pair,
  names: readonly string[],
  validity: Validity,
): Promise<Pair> {
  const keys = await newKeys();
  const issuer = Certificate.fromBER(new X509Certificate(authority.certificate).raw);
  const [nameOfIssuer] = issuer.subject.typesAndValues.map(({ value }) => value.valueBlock.value);
  const certificate = newCertificate(String(nameOfIssuer), 'Cardea', validity);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  const altNames = names.map((name) =>
    isIP(name) === 0
      ? new GeneralName({ type: DNS_NAME, value: name })
      : new GeneralName({
          type: IP_ADDRESS,
          value: new OctetString({ valueHex: arrayBuffer(addressBytes(name)) }),
        }),
  );
  certificate.extensions = [
    basicConstraints({ cA: false }),
    keyUsage(SIGNS_HANDSHAKES),
    extension('extKeyUsage', new ExtKeyUsage({ keyPurposes: [SERVER_AUTHENTICATION] })),
    extension('subjectAltName', new GeneralNames({ names: altNames })),
    extension(
      'authorityKeyIdentifier',
      new AuthorityKeyIdentifier({
        keyIdentifier: new OctetString({ valueHex: keyIdentifier(issuer) }),
      }),
    ),
  ];
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' }),
    ALGORITHM,
    false,
    ['sign'],
  );
  return signed(certificate, signingKey, keys.privateKey);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function newCertificate(issuer: string, subject: string, { from, until }: Validity): Certificate {
  const certificate = new Certificate();
  certificate.version = VERSION_3;
  const serial = randomBytes(SERIAL_BYTES);
  // Positive, and without leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  certificate.serialNumber = new Integer({ valueHex: arrayBuffer(serial) });
  const commonName = (value: string) =>
    new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value }) });
  certificate.issuer.typesAndValues.push(commonName(issuer));
  certificate.subject.typesAndValues.push(commonName(subject));
  certificate.notBefore.value = new Date(from);
  certificate.notAfter.value = new Date(until);
  return certificate;
}

function extension(
  name: keyof typeof EXTENSION,
  parsedValue: { toSchema(): { toBER(): ArrayBuffer } },
): Extension {
  return new Extension({ extnID: EXTENSION[name], extnValue: parsedValue.toSchema().toBER() });
}

function basicConstraints(members: { cA: boolean; pathLenConstraint?: number }): Extension {
  return new Extension({
    extnID: EXTENSION.basicConstraints,
    critical: true,
    extnValue: new BasicConstraints(members).toSchema().toBER(),
  });
}

function keyUsage({ bits, unused }: { bits: number; unused: number }): Extension {
  return new Extension({
    extnID: EXTENSION.keyUsage,
    critical: true,
    extnValue: new BitString({
      valueHex: arrayBuffer(Uint8Array.of(bits)),
      unusedBits: unused,
    }).toBER(),
  });
}

/** The SHA-1 of the public key, the usual identifier (RFC 5280, 4.2.1.2). */
function keyIdentifier({ subjectPublicKeyInfo }: Certificate): ArrayBuffer {
  const bytes = subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView;
  return arrayBuffer(createHash('sha1').update(bytes).digest());
}

async function signed(
  certificate: Certificate,
  signingKey: webcrypto.CryptoKey,
  privateKey: webcrypto.CryptoKey,
): Promise<Pair> {
  await certificate.sign(signingKey, 'SHA-256');
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey);
  return {
    certificate: pem('CERTIFICATE', certificate.toSchema(true).toBER()),
    key: pem('PRIVATE KEY', pkcs8),
  };
}

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
