// Suites over HTTP once more, unchanged, on three nodes over PostgreSQL, OpenSearch and Redis behind a round robin. Those of
// profile management are in three-nodes-profiles.test.ts, those that ask much of the search in three-nodes-queries.test.ts, tenants
// and the npm client in three-nodes-client.test.ts. What is left out cannot hold there, or asks nothing of the nodes:
// - at-once, late-bodies: expect what is taken away to be gone with the next request, which another node does within half a
//   second (test/api/nodes.test.ts);
// - runaway: asks for the heaviest patterns there are, to see that they do not hold up the event loop of the embedded engine;
//   OpenSearch works at them for minutes. test/backends/search-backend.test.ts and the differential run judge its answers;
// - deadline: asks the embedded engine how soon its processor is free, by deadlines of milliseconds; an OpenSearch that does
//   not answer within them is one that is away where the machine is busy;
// - metrics, node-status, log, secrets-in-log: look into the figures, the log or the files of one process;
// - json-patch, read-scopes: what is refused there is refused before any node matters;
// - nodes, postgres, readiness: make their own nodes and stores;
// - admission, bodies, console, documentation, documented, hostile, oauth, sockets: have no service, only its HTTP face over
//   stand-ins.
import { after } from 'node:test';
import { useInfrastructure } from '../support/service.ts';
import { threeNodes } from '../support/three-nodes.ts';

const ground = await threeNodes();
after(() => ground.stop());
useInfrastructure(ground);

await import('../api/aggregation-refusals.test.ts');
await import('../api/aggregations.test.ts');
await import('../api/api-keys.test.ts');
await import('../api/audit-trail.test.ts');
await import('../api/auth-users.test.ts');
await import('../api/collections.test.ts');
await import('../api/documents.test.ts');
await import('../api/editor-extension.test.ts');
await import('../api/explain.test.ts');
await import('../api/hang-up.test.ts');
await import('../api/token-endings.test.ts');
await import('../api/token-policy.test.ts');
await import('../api/tokens.test.ts');
await import('../api/traces.test.ts');
