// The suites over HTTP and the published npm client once more, unchanged, on three nodes over PostgreSQL, OpenSearch and
// Redis behind a round robin. What is left out cannot hold there, or asks nothing of the nodes:
// - api-keys, metrics, secrets-in-log, log: look into the SQLite file, the figures or the log of one process;
// - kinds, queries: ask for the heaviest patterns there are, to see that they do not hold up the event loop of the embedded
//   engine; OpenSearch works at them for minutes. test/backends/search-backend.test.ts and the differential run judge its answers;
// - deadline: asks the embedded engine how soon its processor is free;
// - nodes, postgres, readiness: make their own nodes and stores;
// - traces: expects the spans of the embedded search and of one store;
// - admission, bodies, documentation, documented, hostile, oauth, sockets: have no service, only its HTTP face over stand-ins.
import { after } from 'node:test';
import { standOn } from '../support/service.ts';
import { threeNodes } from '../support/three-nodes.ts';

const ground = await threeNodes();
after(() => ground.stop());
standOn(ground);

await import('../api/advanced-search.test.ts');
await import('../api/aggregations.test.ts');
await import('../api/auth-users.test.ts');
await import('../api/collections.test.ts');
await import('../api/documents.test.ts');
await import('../api/editor-extension.test.ts');
await import('../api/explain.test.ts');
await import('../api/paging.test.ts');
await import('../api/profile-bulk.test.ts');
await import('../api/profile-hostile.test.ts');
await import('../api/profile-lists.test.ts');
await import('../api/profile-tenants.test.ts');
await import('../api/profiles.test.ts');
await import('../api/query-kinds.test.ts');
await import('../api/resources.test.ts');
await import('../api/tenants.test.ts');
await import('../api/tokens.test.ts');
await import('../clients/typescript-sdk.test.ts');
await import('../clients/request-examples.test.ts');
