// Failed sign-ins with the OpenID provider: what happened, and what the user or an administrator
// can do about it.

/** A failed sign-in. */
export interface SignInFault {
  readonly title: string;
  readonly message: string;
  /** What to do. */
  readonly advice: string;
  /** True if another user of the provider may succeed. */
  readonly isAboutUser: boolean;
}

/** Thrown by the steps of a sign-in. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly fault: SignInFault;

  constructor(title: string, message: string, advice: string, isAboutUser = false) {
    super(message);
    this.fault = { title, message, advice, isAboutUser };
  }
}

/** The provider refuses a code or refresh token for good: it has expired, was revoked or was used. */
export class GrantRefused extends ProviderFault {}

/** The answer of the provider belongs to no sign-in of this tab. */
export function strangeAnswer(): ProviderFault {
  return new ProviderFault(
    'The sign-in was not finished',
    'The answer of the provider does not belong to a sign-in that this tab began.',
    'Sign in again. If you followed a link from somewhere else, do not trust it.',
  );
}

/** The provider did not answer. @param origin that of the console */
export function unreachableProvider(issuer: string, origin: string): ProviderFault {
  return new ProviderFault(
    'The provider cannot be reached',
    `${issuer} did not answer the console.`,
    `Check your connection and try again. If other pages can reach it, an administrator has to allow ${origin} at the provider (CORS).`,
  );
}

/** The provider answered that it cannot answer now. @param status 429 or 5xx */
export function busyProvider(issuer: string, status: number): ProviderFault {
  return new ProviderFault(
    'The provider cannot answer',
    `${issuer} answered with status ${status}.`,
    'Try again in a moment.',
  );
}

/** The provider answered an error, such as `access_denied`. */
export function refusedByProvider(error: string, description: string | undefined): ProviderFault {
  const Fault = error === 'invalid_grant' ? GrantRefused : ProviderFault;
  return new Fault(
    'The provider refused the sign-in',
    description === undefined ? error : `${description} (${error})`,
    error === 'access_denied'
      ? 'Sign in again, or ask an administrator to assign the console to you at the provider.'
      : 'Sign in again. If it fails again, an administrator has to check the client of the console at the provider.',
    error === 'access_denied',
  );
}

/** Reasons why the service refuses a token, and how to mend each. */
const REFUSALS: readonly (readonly [reason: RegExp, advice: string])[] = [
  [
    /not a signed JWT/,
    'The provider issues access tokens of this form only for an audience: an administrator has to name it in CARDEA_CONSOLE_OPENID_PARAMETERS.',
  ],
  [
    /audience|\baud\b/,
    'An administrator has to request an audience in CARDEA_CONSOLE_OPENID_PARAMETERS that the issuer has in CARDEA_EXTERNAL_ISSUERS.',
  ],
  [
    /issuer does not speak for this tenant|tenant is unknown/,
    'An administrator has to compare the claim of the tenant with "tenants" of the issuer in CARDEA_EXTERNAL_ISSUERS.',
  ],
  [
    /the claim \S+ is missing/,
    'An administrator has to add the claim to the access tokens of the provider, or to name the one that they have in "claims" of CARDEA_EXTERNAL_ISSUERS.',
  ],
  [
    /issuer is unknown/,
    'An administrator has to add the issuer to CARDEA_EXTERNAL_ISSUERS, spelt as in the claim iss.',
  ],
  [/key is unknown/, 'An administrator has to check "jwksUrl" of the issuer.'],
  [/user behind the token is disabled/, 'Ask an administrator to enable your auth user.'],
  [/signed out since/, 'Sign in again.'],
];

/** The service refuses the access token of the provider. @param message that of the service */
export function refusedToken(message: string): ProviderFault {
  const [
    ,
    advice = 'Ask an administrator to compare the access token with /docs/guide/configuration.',
  ] = REFUSALS.find(([reason]) => reason.test(message)) ?? [];
  const isAboutUser = /the user /.test(message);
  return new ProviderFault('The service refused the sign-in', message, advice, isAboutUser);
}

/** The user may do nothing here. @param identityId null: the token names no identity */
export function unknownUser(userName: string, identityId: string | null): ProviderFault {
  if (identityId === null) {
    return new ProviderFault(
      'The access token names no user',
      'It lacks the claim of the identity.',
      'An administrator has to name the claim with the id of the identity in "claims" of CARDEA_EXTERNAL_ISSUERS.',
    );
  }
  return new ProviderFault(
    'You have no access',
    `The provider signed you in as ${userName}, but there is no auth user with the id ${identityId}, or it has no capabilities.`,
    'Ask an administrator for capabilities, or sign in as another user.',
    true,
  );
}
