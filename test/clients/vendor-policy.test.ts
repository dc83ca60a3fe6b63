// suite: slow, alone
// The official npm client and the suites that create, change or end credentials once more, unchanged, under
// CARDEA_TOKEN_POLICY=vendor. token-policy.test.ts runs under both by itself; other suites only hold an administrator's token.
import { useInfrastructure } from '../support/service.ts';

useInfrastructure({ settings: async () => ({ CARDEA_TOKEN_POLICY: 'vendor' }) });

await import('./typescript-sdk.test.ts');
await import('../api/api-keys.test.ts');
await import('../api/auth-users.test.ts');
await import('../api/oauth.test.ts');
await import('../api/oauth-clients.test.ts');
await import('../api/token-endings.test.ts');
await import('../api/tokens.test.ts');
