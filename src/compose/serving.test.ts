// The options of the HTTP layer, by what the settings say of who can reach a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { type Config, parseConfig } from '../config/config.ts';
import { networkFaults } from '../config/exposure.ts';
import { httpOptions } from './serving.ts';

const RATE = { requests: 100, windowSeconds: 10 };
/** Settings that decide who can reach a server, and whether others than this machine can. */
const REACH: readonly (readonly [Record<string, string>, boolean])[] = [
  [{}, false],
  [{ CARDEA_HOST: '::1' }, false],
  [{ CARDEA_BASE_URL: 'http://localhost:3000' }, false],
  [{ CARDEA_BASE_URL: 'https://[::1]:8443/cardea' }, false],
  [{ CARDEA_HOST: 'localhost', CARDEA_TRUSTED_PROXIES: 'none' }, false],
  [{ CARDEA_HOST: '0.0.0.0' }, true],
  [{ CARDEA_HOST: '10.0.0.7' }, true],
  [{ CARDEA_HOST: '0.0.0.0', CARDEA_TOKEN_POLICY: 'vendor' }, true],
  [{ CARDEA_HOST: '0.0.0.0', CARDEA_BASE_URL: 'http://127.0.0.1' }, true],
  [{ CARDEA_BASE_URL: 'https://cardea.example.com' }, true],
  [{ CARDEA_BASE_URL: 'http://localhost.example.com' }, true],
  [{ CARDEA_BASE_URL: 'https://10.0.0.7', CARDEA_TRUSTED_PROXIES: 'none' }, true],
  [{ CARDEA_TRUSTED_PROXIES: '127.0.0.1' }, true],
  [{ CARDEA_TRUSTED_PROXIES: '10.0.0.0/8', CARDEA_BASE_URL: 'https://localhost' }, true],
];
for (const [env, isExposed] of REACH) {
  const name = isExposed ? 'safe on a network' : "convenient on a developer's machine";
  test(`defaults are ${name} with ${JSON.stringify(env)}`, () => {
    const tls = {
      CARDEA_TLS_CERT: 'test/api/tls/cert.pem',
      CARDEA_TLS_KEY: 'test/api/tls/key.pem',
    };
    const config = parseConfig({ ...env, ...tls, CARDEA_TESTING: 'on' });
    const options = optionsOf(config);
    assert.equal(options.secretsInQuery, !isExposed);
    assert.deepEqual(options.rateLimit, isExposed ? RATE : null);
    assert.equal(options.strictTransport, isExposed);
    assert.equal(networkFaults(config).length > 0, isExposed);
    const set = { CARDEA_RATE_LIMIT: '7/1', CARDEA_SECRETS_IN_QUERY: isExposed ? 'on' : 'off' };
    const own = optionsOf(parseConfig({ ...env, ...set }));
    assert.equal(own.secretsInQuery, isExposed);
    assert.deepEqual(own.rateLimit, { requests: 7, windowSeconds: 1 });
  });
}

function optionsOf(config: Config): ReturnType<typeof httpOptions> {
  const none = {
    meter: null,
    traces: null,
    counts: null,
    rates: null,
    testPowers: null,
    processCounts: null,
  };
  const parts = { ...none, log: pino({ level: 'silent' }) };
  return httpOptions(config, parts as unknown as Parameters<typeof httpOptions>[1]);
}
