// Signs and verifies JSON Web Tokens (RFC 7515, 7519; RFC 8725 for what to refuse). jose does the
// cryptography; this file sets the rules it leaves open: allowed algorithms, required claims,
// forbidden headers.
// Invariant: key references within a token (jku, jwk, x5u, x5c) are never followed.
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type CryptoKey as JoseKey,
  type JWSHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { ServiceError } from '../errors.ts';

/** The algorithm of tokens issued here. */
export const OWN_ALGORITHM = 'ES256';

/**
 * Algorithms for external issuers: asymmetric only, so a public key cannot be used as a shared
 * secret.
 */
export const EXTERNAL_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
];

/** Allowed difference between two clocks, in seconds. */
export const CLOCK_SKEW_SECONDS = 30;

const REFUSED_HEADERS = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'zip', 'enc'];
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
const MAX_TOKEN_LENGTH = 16_384;
const MAX_KID_LENGTH = 256;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** A parsed token that has not been verified. */
export interface UnverifiedToken {
  readonly text: string;
  /**
   * Header and payload as signed. Unlike `text`, only the issuer can write them differently: a
   * signature has other spellings in base64url, and ECDSA a second valid one.
   */
  readonly signedText: string;
  readonly header: JWSHeaderParameters;
  readonly issuer: string;
  /** Epoch milliseconds before which it is not valid, as claimed; 0 without such a claim. */
  readonly startsMs: number;
}

/** The requirements for tokens of one issuer. */
export interface TokenRules {
  readonly issuer: string;
  /** The token must name one of them. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  /**
   * Seconds after `iat` for which a token is accepted. Makes `iat` required; no limit when omitted.
   */
  readonly maxAgeSeconds?: number;
  /** The public key that a header names. @throws ServiceError `token_invalid` */
  keyFor(header: JWSHeaderParameters): Promise<JoseKey>;
}

/** The error for a rejected token, in the form of the public specification. */
export function refused(reason: string): ServiceError {
  return new ServiceError('token_invalid', `JWT validation failed: ${reason}`);
}

/**
 * Parses a token far enough to find its issuer.
 * @throws ServiceError `token_invalid` for anything but a plain three-part signed token
 */
export function readToken(text: string): UnverifiedToken {
  if (text.length > MAX_TOKEN_LENGTH || !COMPACT.test(text)) throw refused('not a signed JWT');
  let header: JWSHeaderParameters;
  let payload: JWTPayload;
  try {
    header = decodeProtectedHeader(text) as JWSHeaderParameters;
    payload = decodeJwt(text);
  } catch {
    throw refused('not a signed JWT');
  }
  for (const name of REFUSED_HEADERS) {
    if (Object.hasOwn(header, name)) throw refused(`the header ${name} is not accepted`);
  }
  const type: unknown = header.typ;
  if (type !== undefined && !(typeof type === 'string' && TYPES.has(type.toLowerCase()))) {
    throw refused('the type in the header is not that of an access token');
  }
  const kid: unknown = header.kid;
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MAX_KID_LENGTH)) {
    throw refused('the key id is not usable');
  }
  if (typeof payload.iss !== 'string') throw refused('the claim iss is missing or wrong');
  return {
    ...{ text, signedText: text.slice(0, text.lastIndexOf('.')) },
    ...{
      header,
      issuer: payload.iss,
      startsMs: Math.max(secondsOf(payload.nbf), secondsOf(payload.iat)) * 1000,
    },
  };
}

function secondsOf(claim: unknown): number {
  return typeof claim === 'number' && Number.isFinite(claim) ? Math.max(0, claim) : 0;
}

/**
 * Checks algorithm, signature, issuer, audience and times.
 * @param now epoch milliseconds
 * @throws ServiceError `token_invalid`
 */
export async function verifyToken(
  token: UnverifiedToken,
  rules: TokenRules,
  now: number,
): Promise<JWTPayload> {
  const { alg } = token.header;
  if (alg === undefined || !rules.algorithms.includes(alg)) {
    throw refused('the algorithm is not accepted');
  }
  const key = await rules.keyFor(token.header);
  try {
    const { payload } = await jwtVerify(token.text, key, {
      algorithms: [...rules.algorithms],
      issuer: rules.issuer,
      audience: [...rules.audience],
      requiredClaims: ['exp', 'iss', 'aud'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(now),
      ...(rules.maxAgeSeconds === undefined ? {} : { maxTokenAge: rules.maxAgeSeconds }),
    });
    return payload;
  } catch (error) {
    throw refused(reasonOf(error));
  }
}

/** Signs claims with one of the service's own keys. */
export function signToken(claims: JWTPayload, kid: string, key: JoseKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: OWN_ALGORITHM, typ: 'JWT', kid }).sign(key);
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'JWT is expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'nbf' && error.reason === 'check_failed'
      ? 'JWT is not valid yet'
      : `the claim ${error.claim} is missing or wrong`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature does not match';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the algorithm is not accepted';
  return 'not a signed JWT that can be checked';
}
