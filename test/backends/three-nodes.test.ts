// Suites over HTTP and the published npm client once more, unchanged, on three nodes over PostgreSQL, OpenSearch and Redis behind a
// round robin. What is left out cannot hold there, or asks nothing of the nodes:
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

await import('../api/access-paths.test.ts');
await import('../api/advanced-search.test.ts');
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
await import('../api/kinds.test.ts');
await import('../api/paging.test.ts');
await import('../api/profile-bulk.test.ts');
await import('../api/profile-hostile.test.ts');
await import('../api/profile-lists.test.ts');
await import('../api/profile-tenants.test.ts');
await import('../api/profiles.test.ts');
await import('../api/queries.test.ts');
await import('../api/query-kinds.test.ts');
await import('../api/resource-bulk.test.ts');
await import('../api/resource-refusals.test.ts');
await import('../api/resources.test.ts');
await import('../api/tenants.test.ts');
await import('../api/token-endings.test.ts');
await import('../api/token-policy.test.ts');
await import('../api/tokens.test.ts');
await import('../api/traces.test.ts');
await import('../clients/request-examples.test.ts');
await import('../clients/typescript-sdk.test.ts');
