// Who is signed in: the claims of an access token, or what the service says of a token of another
// issuer, whose claims may have any names. The console does not verify tokens or decide rights; the
// service does.

/** The user of a session. */
export interface Person {
  /** The name of the tenant; '' if there is none. */
  readonly org: string;
  readonly userName: string;
  /** null: the token belongs to no person. */
  readonly identityId: string | null;
  /** The levels at the sign-in; the service decides by the current ones. */
  readonly levels: readonly string[];
  readonly scopes: readonly string[];
  /** The names of the views that restrict the session; null: not known yet. */
  readonly views: readonly string[] | null;
}

/** The user of a token of the OpenID provider, as the service sees it. */
export interface ProviderUser extends Person {
  /** Epoch milliseconds: when the service stops accepting the token, perhaps before it expires. */
  readonly acceptedUntil: number;
}

/** The parts of a session that its token does not contain. */
export interface SessionDetails {
  /** Epoch milliseconds of the sign-in; a renewed token does not change it. */
  readonly since: number;
  /** The user of a token of the OpenID provider; null: the claims of the token say it. */
  readonly person: ProviderUser | null;
  /** As `views` of a person: the claims of a token do not say it, since views change. */
  readonly views: readonly string[] | null;
}

/** Who is signed in. */
export interface Session extends Person {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly details: SessionDetails;
}

/** The session of a token; null if the text is not a JWT. */
export function sessionOf(token: string, details: SessionDetails): Session | null {
  const claims = claimsOf(token.trim());
  if (claims === null) return null;
  const expires = claims['exp'];
  const ends = typeof expires === 'number' ? expires * 1000 : Number.MAX_SAFE_INTEGER;
  const { acceptedUntil = ends, ...person } = details.person ?? personOf(claims);
  const expiresAt = Math.min(ends, acceptedUntil);
  return { ...person, views: details.views ?? null, token: token.trim(), expiresAt, details };
}

/** The user of `GET /oauth/userinfo`. */
export function providerUserOf(info: Readonly<Record<string, unknown>>): ProviderUser {
  const ends = text(info['credential_ends']);
  const acceptedUntil = ends === null ? Number.MAX_SAFE_INTEGER : Date.parse(ends);
  return { ...personOf(info), acceptedUntil };
}

function personOf(
  claims: Readonly<Record<string, unknown>>,
): Person & { readonly acceptedUntil?: number } {
  return {
    org: text(claims['org']) ?? '',
    userName: text(claims['user_name']) ?? text(claims['client_id']) ?? 'Signed in',
    identityId: text(claims['identity_id']) ?? text(claims['user_id']),
    levels: texts(claims['authorities']),
    scopes: words(claims['scope']),
    views: texts(claims['views']),
  };
}

function claimsOf(token: string): Record<string, unknown> | null {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return null;
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null
      ? (claims as Record<string, unknown>)
      : null;
  } catch {
    // Not base64 or not JSON, so not a JWT.
    return null;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A list, or words in one text, as other issuers write it. */
function words(value: unknown): string[] {
  return typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : texts(value);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
