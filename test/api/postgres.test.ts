// suite: slow, alone
// The suites over HTTP, and the published client, once more with PostgreSQL below.
import { after } from 'node:test';
import { startPostgres } from '../support/postgres.ts';
import { useStore } from '../support/service.ts';

const postgres = await startPostgres();
after(() => postgres.stop());
let databases = 0;
useStore(() => postgres.migrated(`service${++databases}`));

await import('./at-once.test.ts');
await import('./auth-user-directory.test.ts');
await import('./auth-users.test.ts');
await import('./dashboards.test.ts');
await import('./documents.test.ts');
await import('./expired-tokens.test.ts');
await import('./oauth.test.ts');
await import('./readiness.test.ts');
await import('./saved-searches.test.ts');
await import('./tenants.test.ts');
await import('./token-endings.test.ts');
await import('./tokens.test.ts');
await import('../clients/typescript-sdk.test.ts');
