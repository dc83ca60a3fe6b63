// Settings of the pages and interfaces beside the API, and of profile management.
import { oneOf, onOff, someText, wholeNumber, zoneName } from './config-values.ts';
import { issuerName, openIdParameters, openIdScopes, providerOrigins } from './openid-settings.ts';
import { ANY, NUMBER, SECONDS, setting } from './setting.ts';

/** In the order of help texts. */
export const INTERFACES = {
  documentation: setting(
    'documentation',
    'on',
    'Serves the guide and the API reference at /docs.',
    onOff,
    {
      value: 'on|off',
    },
  ),
  console: setting('console', 'on', 'Serves the web console at /console.', onOff, {
    value: 'on|off',
  }),
  consoleIdleSeconds: setting(
    'console-idle-seconds',
    3_600,
    'Time without a key or click after which the console signs its user out.',
    wholeNumber(60, 86_400),
    SECONDS,
  ),
  consoleSessionSeconds: setting(
    'console-session-seconds',
    43_200,
    'Longest time that the console keeps its user signed in, however active.',
    wholeNumber(300, 2_592_000),
    SECONDS,
  ),
  consoleOpenidIssuer: setting(
    'console-openid-issuer',
    null,
    'OpenID provider for the sign-in to the console: one of CARDEA_EXTERNAL_ISSUERS, spelt as there; see docs/console.md.',
    issuerName,
    { value: 'url', otherwise: 'no such sign-in' },
  ),
  consoleOpenidClient: setting(
    'console-openid-client',
    null,
    'Client id of the console at that provider: a public client with PKCE.',
    someText('a client id'),
    { value: 'id', otherwise: 'needed with CARDEA_CONSOLE_OPENID_ISSUER' },
  ),
  consoleOpenidScopes: setting(
    'console-openid-scopes',
    'openid profile',
    'Scopes that the console requests; some providers need offline_access for a refresh token.',
    openIdScopes,
    { value: 'scopes' },
  ),
  consoleOpenidParameters: setting(
    'console-openid-parameters',
    null,
    'Further parameters for the provider, such as audience=cardea or resource=https://cardea.example.org.',
    openIdParameters,
    { value: 'query', otherwise: 'none' },
  ),
  consoleOpenidOrigins: setting(
    'console-openid-origins',
    null,
    'Comma-separated origins that the console may call: those of the issuer and of the token endpoint.',
    providerOrigins,
    { value: 'origins', otherwise: 'that of the issuer' },
  ),
  consoleOpenidLabel: setting(
    'console-openid-label',
    'Sign in with your organization',
    'Label of the button for that sign-in.',
    someText('a label'),
  ),
  mcp: setting(
    'mcp',
    'off',
    'Serves assistants (Model Context Protocol) at /mcp; see docs/assistants.md.',
    onOff,
    { value: 'on|off' },
  ),
  collectionEnvelope: setting(
    'collection-envelope',
    'array',
    'Lists of profile management: array, or like the public service keyed: {"users":[…]}, and 400 for an empty page.',
    oneOf(['array', 'keyed'] as const),
    { value: 'array|keyed' },
  ),
  profileTimeZone: setting(
    'profile-time-zone',
    'UTC',
    'Time zone of Today in rules about profiles: an IANA name or an offset.',
    zoneName,
    { value: 'ZONE' },
  ),
  maxDynamicFields: setting(
    'max-dynamic-fields',
    2000,
    'Most dynamic fields of an index; a document that adds more is refused.',
    wholeNumber(0, 100_000),
    { ...ANY, ...NUMBER },
  ),
};
