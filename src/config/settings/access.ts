// Settings of who may reach the service and with which credentials: TLS, rates, proxies, issuers.
import { TOKEN_POLICIES } from '../../auth/confinement.ts';
import {
  issuers,
  networkList,
  oneOf,
  onOff,
  onOffOrAuto,
  originList,
  quota,
  quotaOrAuto,
  redisAddress,
  someText,
} from './config-values.ts';
import { ANY, setting } from './setting.ts';

/** The documented rate of the public service (contract/auth-users.md section 5). */
export const ISC_RATE = { count: 100, seconds: 10 };
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** In the order of help texts. */
export const ACCESS = {
  tlsCert: setting(
    'tls-cert',
    null,
    'File of the certificate chain, PEM; enables TLS.',
    someText('a file'),
    {
      value: 'file',
      otherwise: 'plain HTTP',
    },
  ),
  tlsKey: setting('tls-key', null, 'File of the private key, PEM.', someText('a file'), {
    value: 'file',
    otherwise: 'plain HTTP',
  }),
  rateLimit: setting(
    'rate-limit',
    'auto',
    'Requests per client, or per address without a valid token: off, isc (100 in 10 seconds), N/SECONDS, or auto (isc if others can reach the server).',
    quotaOrAuto({ isc: ISC_RATE }),
    {
      value: 'rate',
    },
  ),
  tokenAttempts: setting(
    'token-attempts',
    '20/60',
    'Wrong secrets that an address may send to the token endpoint: off or N/SECONDS. Correct ones are always accepted.',
    quota({}),
    {
      value: 'rate',
    },
  ),
  trustedProxies: setting(
    'trusted-proxies',
    null,
    'Proxies whose X-Forwarded-For or Forwarded header is trusted: none, or comma-separated addresses and networks.',
    networkList,
    { value: 'networks', otherwise: 'none' },
  ),
  tokenPolicy: setting(
    'token-policy',
    'strict',
    'Credentials that a token may create: strict (at most its own scope and lifetime, deleted with it) or vendor (any, like the public service).',
    oneOf(TOKEN_POLICIES),
    { value: TOKEN_POLICIES.join('|') },
  ),
  secretsInQuery: setting(
    'secrets-in-query',
    'auto',
    'Accepts secrets in the query of token requests: on, off, or auto (off if others can reach the server).',
    onOffOrAuto,
    { value: 'on|off|auto' },
  ),
  redisUrl: setting(
    'redis-url',
    null,
    'Redis in which nodes count requests and wrong secrets together (redis:// or rediss://).',
    redisAddress,
    { value: 'url', otherwise: 'each node counts for itself' },
  ),
  corsOrigins: setting(
    'cors-origins',
    'off',
    'Origins whose pages may call the API: off, * for any, or a comma-separated list.',
    originList,
    { value: 'origins' },
  ),
  externalIssuers: setting(
    'external-issuers',
    '[]',
    'External issuers whose tokens are accepted: a JSON array, or a file of one.',
    issuers,
    {
      value: 'json|file',
    },
  ),
  refuseExclusivePairs: setting(
    'refuse-exclusive-pairs',
    'off',
    "Rejects changes that give an auth user two levels that the vendor's guides exclude together.",
    onOff,
    {
      value: 'on|off',
    },
  ),
  allowPrivateUrls: setting(
    'allow-private-urls',
    'off',
    'Allows configured addresses in loopback and private networks, and plain http.',
    onOff,
    {
      value: 'on|off',
    },
  ),
  logLevel: setting(
    'log-level',
    'info',
    `Least severe level that is logged: ${LOG_LEVELS.join(', ')}.`,
    oneOf(LOG_LEVELS),
    {
      ...ANY,
      value: 'level',
    },
  ),
};
