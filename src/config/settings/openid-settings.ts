// Parsers of the settings of the console's sign-in with an OpenID provider, and the check of them
// together.
import { InvalidValue, originList, type Parser, webAddress } from './config-values.ts';

/** How the console signs users in at an OpenID provider. Nothing of it is secret. */
export interface OpenIdClient {
  /** Exactly as in the claim `iss`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Separated by spaces, `openid` among them. */
  readonly scopes: string;
  /** Further parameters of authorization and token requests. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Origins that the browser may send requests to. */
  readonly origins: readonly string[];
  /** Label of the button. */
  readonly label: string;
}

/** The name of an issuer: an http or https address, kept as it is. */
export const issuerName: Parser<string> = (text) => {
  webAddress(text);
  return text;
};

/** Scopes separated by spaces, with `openid`. */
export const openIdScopes: Parser<string> = (text) => {
  const scopes = text.split(' ').filter((scope) => scope !== '');
  if (
    scopes.includes('openid') &&
    scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  ) {
    return scopes.join(' ');
  }
  throw new InvalidValue('must be scopes separated by spaces, openid among them');
};

/** What the console itself sets, and what must not be in a browser. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['client_assertion', 'client_assertion_type', 'request', 'request_uri'],
  ...['client_id', 'client_secret', 'code', 'code_challenge', 'code_challenge_method'],
  ...['code_verifier', 'grant_type', 'nonce', 'redirect_uri', 'refresh_token', 'response_mode'],
  ...['response_type', 'scope', 'state'],
]);

/** Parameters as in a query: `audience=cardea&prompt=login`. */
export const openIdParameters: Parser<Readonly<Record<string, string>>> = (text) => {
  const parameters = [...new URLSearchParams(text)];
  const reserved = parameters.find(([name]) => RESERVED.has(name));
  if (reserved !== undefined) {
    throw new InvalidValue(`must not have ${reserved[0]}, which the console sets itself`);
  }
  const names = parameters.map(([name]) => name);
  if (new Set(names).size < names.length) {
    throw new InvalidValue('must have each parameter once');
  }
  if (parameters.length > 0 && parameters.every(([name, value]) => name !== '' && value !== '')) {
    return Object.fromEntries(parameters);
  }
  throw new InvalidValue('must be parameters as in a query, such as audience=cardea');
};

/** Origins as browsers send them. */
export const providerOrigins: Parser<readonly string[]> = (text) => {
  const origins = originList(text);
  if (origins.length > 0 && !origins.includes('*')) return origins;
  throw new InvalidValue('must be origins such as https://login.example.org');
};

/** The settings that `openIdClient` joins; null: not set. */
export interface OpenIdValues {
  readonly consoleOpenidIssuer: string | null;
  readonly consoleOpenidClient: string | null;
  readonly consoleOpenidScopes: string | null;
  readonly consoleOpenidParameters: Readonly<Record<string, string>> | null;
  readonly consoleOpenidOrigins: readonly string[] | null;
  readonly consoleOpenidLabel: string | null;
  readonly externalIssuers: readonly { readonly issuer: string }[] | null;
  readonly allowPrivateUrls: boolean | null;
}

/** The client of the console; null: users do not sign in with a provider. */
export function openIdClient(values: OpenIdValues): OpenIdClient | null {
  const { consoleOpenidIssuer: issuer, consoleOpenidClient: clientId } = values;
  if (issuer === null || clientId === null) return null;
  return {
    issuer,
    clientId,
    scopes: values.consoleOpenidScopes ?? 'openid',
    parameters: values.consoleOpenidParameters ?? {},
    // Its metadata are at the issuer, wherever its other endpoints are.
    origins: [...new Set([new URL(issuer).origin, ...(values.consoleOpenidOrigins ?? [])])],
    label: values.consoleOpenidLabel ?? '',
  };
}

/** Why a sign-in with these settings could not work, one sentence each. */
export function openIdFaults(values: OpenIdValues): string[] {
  const { consoleOpenidIssuer: issuer, externalIssuers, allowPrivateUrls } = values;
  if (issuer === null) return [];
  const faults: string[] = [];
  if (externalIssuers !== null && !externalIssuers.some((known) => known.issuer === issuer)) {
    faults.push(
      'CARDEA_CONSOLE_OPENID_ISSUER is not an issuer of CARDEA_EXTERNAL_ISSUERS, so the service would refuse its tokens: add it there, spelt the same.',
    );
  }
  if (new URL(issuer).protocol === 'http:' && allowPrivateUrls !== true) {
    faults.push(
      'CARDEA_CONSOLE_OPENID_ISSUER must be an https address, unless CARDEA_ALLOW_PRIVATE_URLS is on.',
    );
  }
  return faults;
}
