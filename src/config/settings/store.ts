// Settings of the store and of the key that seals its secrets.
import { interval, secretsKeyText, someText, storeAddress, wholeNumber } from './config-values.ts';
import { ANY, MILLISECONDS, NUMBER, setting } from './setting.ts';

/** In the order of help texts. */
export const STORE = {
  dataDir: setting(
    'data-dir',
    './data',
    "Directory of the store, the search index and the demo's credentials.",
    someText('a directory'),
    {
      ...ANY,
      value: 'directory',
    },
  ),
  storeUrl: setting(
    'store-url',
    null,
    'The store: an SQLite file, or the address of a PostgreSQL database (postgres://…).',
    storeAddress,
    {
      ...ANY,
      value: 'path|url',
      otherwise: 'cardea.db in the data directory',
    },
  ),
  storePool: setting(
    'store-pool',
    10,
    'Connections for reading from PostgreSQL; writes and checks of requests take up to two more each.',
    wholeNumber(1, 1_000),
    { ...ANY, ...NUMBER },
  ),
  storeWaitMs: setting(
    'store-wait-ms',
    10_000,
    'Longest wait for a connection to the store, or for the writes of others.',
    wholeNumber(1, 600_000),
    { ...ANY, ...MILLISECONDS },
  ),
  storeTimeoutMs: setting(
    'store-timeout-ms',
    30_000,
    'Longest time of a statement in PostgreSQL.',
    wholeNumber(100, 3_600_000),
    { ...ANY, ...MILLISECONDS },
  ),
  storeCheckSeconds: setting(
    'store-check-seconds',
    86_400,
    'Time between background checks of every page and record of the SQLite store; 0: none.',
    wholeNumber(0, 31_536_000),
    { value: 'seconds' },
  ),
  backupDir: setting(
    'backup-dir',
    null,
    "Directory for the server's own backups of the SQLite store, on another disk if possible.",
    someText('a directory'),
    { value: 'directory', otherwise: 'no backups' },
  ),
  backupEvery: setting(
    'backup-every',
    '24h',
    'Time between these backups, at least 20s: seconds, minutes, hours or days, such as 30m.',
    interval(20_000),
    { value: 'period' },
  ),
  backupKeep: setting(
    'backup-keep',
    7,
    'Number of these backups to keep; an older one is deleted once a newer one is verified.',
    wholeNumber(1, 10_000),
    NUMBER,
  ),
  secretsKey: setting(
    'secrets-key',
    null,
    'Key that encrypts the signing keys in the store: 64 hexadecimal digits or 32 bytes in base64. Prefer the file.',
    secretsKeyText,
    { ...ANY, value: 'key', otherwise: 'the content of CARDEA_SECRETS_KEY_FILE' },
  ),
  secretsKeyFile: setting(
    'secrets-key-file',
    null,
    'File of that key; created if missing. Nodes on one PostgreSQL database need the same key.',
    someText('a file'),
    {
      ...ANY,
      value: 'file',
      otherwise:
        'secrets.key in the data directory; with PostgreSQL none, and nothing is encrypted',
    },
  ),
};
