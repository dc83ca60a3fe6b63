// suite: slow, alone
// The tables of lists, levels, hints, events, credentials, saved searches, searches, profile management
// and the demo once more, of services that mirror another Cardea.
import { useMirrors } from '../support/mirrored-service.ts';

useMirrors();

await import('../lists/list-rules.test.ts');
await import('../lists/below-objects.test.ts');
await import('../lists/demo-company.test.ts');
await import('../lists/lists.test.ts');
await import('../lists/specified-fields.test.ts');
await import('../lists/levels.test.ts');
await import('../lists/followed-hints.test.ts');
await import('../api/event-names.test.ts');
await import('../api/expired-tokens.test.ts');
await import('../api/saved-searches.test.ts');
await import('../api/search-hints.test.ts');
await import('../api/profile-conventions.test.ts');
await import('../api/demo-access.test.ts');
