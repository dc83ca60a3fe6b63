// Suites over HTTP once more, unchanged, on three nodes over PostgreSQL, OpenSearch and
// Redis behind a round robin. What is left out cannot hold there, or asks nothing of the nodes:
// - api-keys, metrics, secrets-in-log, log: look into the SQLite file, the figures or the log of one process;
// - kinds, queries: ask for the heaviest patterns there are, to see that they do not hold up the event loop of the embedded
//   engine; OpenSearch works at them for minutes. test/backends/search-backend.test.ts and the differential run judge its answers;
// - tokens: expects a deleted token to be refused at once, which another node does within half a second (test/api/nodes.test.ts);
// - paging, profile-bulk, profile-hostile, profile-lists, profile-tenants, profiles, query-kinds, resources: not tried there yet;
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
