// Reads the claims of an access token, to show who is signed in and until when. The console does
// not verify tokens or decide rights; the service does.

/** Who is signed in. */
export interface Session {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly org: string;
  readonly userName: string;
  /** null: the token belongs to no person. */
  readonly identityId: string | null;
  /** The levels when the token was issued; the service decides by the current ones. */
  readonly levels: readonly string[];
  readonly scopes: readonly string[];
}

/** The session of a token; null if the text is not a JWT. */
export function sessionOf(token: string): Session | null {
  const claims = claimsOf(token.trim());
  if (claims === null) return null;
  const expires = claims['exp'];
  const person = text(claims['identity_id']) ?? text(claims['user_id']);
  return {
    token: token.trim(),
    expiresAt: typeof expires === 'number' ? expires * 1000 : Number.MAX_SAFE_INTEGER,
    org: text(claims['org']) ?? '',
    userName: text(claims['user_name']) ?? text(claims['client_id']) ?? 'Signed in',
    identityId: person,
    levels: texts(claims['authorities']),
    scopes: words(claims['scope']),
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
