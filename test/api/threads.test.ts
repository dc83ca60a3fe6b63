// suite: slow, alone
// The suites over HTTP, and the published client, once more with two threads: each request has a
// connection of its own, which either of them accepts.
import { useInfrastructure } from '../support/service.ts';

useInfrastructure({ threads: 2, settings: async () => ({}) });

await import('./at-once.test.ts');
await import('./auth-user-directory.test.ts');
await import('./auth-users.test.ts');
await import('./dashboards.test.ts');
await import('./documents.test.ts');
await import('./expired-tokens.test.ts');
await import('./node-status.test.ts');
await import('./oauth.test.ts');
await import('./saved-searches.test.ts');
await import('./tenants.test.ts');
await import('./token-endings.test.ts');
await import('./tokens.test.ts');
await import('../clients/typescript-sdk.test.ts');
