// Which tests `npm test` runs, and which it leaves to `npm run test:all`.
import { join, normalize } from 'node:path';

/** The folder of the suites that need OpenSearch, Redis, Chromium, Python and other programs. */
export const NEEDS_PROGRAMS = join('test', 'backends');
/**
 * What `npm test` leaves to `npm run test:all`, by the beginning of the path: suites that start several nodes
 * or PostgreSQL, kill processes or threads, copy whole tenants, repeat other suites with another
 * store or token policy, wait for real time, or fill a limit.
 */
export const SLOW: readonly string[] = [
  ...['test/mirror/shapes', 'test/mirror/clients', 'test/mirror/programs', 'test/api/traces'],
  ...['test/differential/explanation', 'test/cli/start', 'test/api/lenient-targets'],
  ...['test/mirror/kill', 'test/mirror/mirror', 'test/mirror/postgres', 'test/mirror/profiles'],
  'test/mirror/tables',
  ...[
    'test/mirror/refused',
    'test/mirror/views',
    'test/mirror/hostile-walks',
    'test/faults/',
    'test/reports/',
    'test/testing/',
  ],
  ...['examples/node-test/', 'test/mutation/', 'bench/questions/'],
  ...['test/differential/postgres', 'test/contract/postgres'],
  ...['test/contract/sqlite-faults', 'test/clients/vendor-policy', 'test/api/address-shares'],
  ...['test/api/anonymised', 'test/api/audit-export', 'test/api/deadline', 'test/api/hang-up'],
  ...['test/api/late-bodies', 'test/api/nodes', 'test/api/postgres', 'test/api/runaway'],
  'test/rights/',
  ...['test/api/token-endings', 'test/api/shares', 'test/api/ceilings', 'test/cli/backup'],
  ...['test/cli/bundle', 'test/cli/demo-profiles', 'test/cli/doctor', 'test/cli/export'],
  ...['test/cli/import', 'test/cli/migrate-store', 'test/cli/reindex'],
  ...['test/docs/audit-questions', 'test/docs/deployment', 'test/docs/export'],
  ...['test/lists/levels', 'test/lists/followed'],
  ...['test/docs/mirroring', 'test/docs/profiles-demo', 'test/docs/supply-chain'],
  ...['test/api/answer-shares', 'test/api/certificates', 'test/lists/specified'],
  ...['test/contract/search-workers', 'src/backends/embedded/searching/search-workers'],
  ...['src/engine/aggregation/tuple-limit', 'test/docs/new-query-kind'],
].map((name) => normalize(name));

/** True for a test file of `npm test`. @param file such as `test/api/rows.test.js` */
export function isQuick(file: string): boolean {
  return ![NEEDS_PROGRAMS, ...SLOW].some((name) => file.startsWith(name));
}
