// suite: alone
// Suites over HTTP and the published npm client once more, unchanged, on three nodes over PostgreSQL, OpenSearch and Redis behind a
// round robin. What is left out cannot hold there, or asks nothing of the nodes:
// - at-once, late-bodies: expect what is taken away to be gone with the next request, which another node does within half a
//   second (test/api/nodes.test.ts);
// - runaway: asks for the heaviest patterns there are, to see that they do not hold up the event loop of the embedded engine;
//   OpenSearch works at them for minutes. test/backends/search-backend.test.ts and the differential run judge its answers;
// - deadline: asks the embedded engine how soon its processor is free, by deadlines of milliseconds; an OpenSearch that does
//   not answer within them is one that is away where the machine is busy;
// - metrics, node-status, log, secrets-in-log: look into the figures, the log or the files of one process;
// - json-patch, read-scopes, aggregation-refusals, resource-refusals: what is refused there is refused before any node
//   matters;
// - nodes, postgres, readiness: make their own nodes and stores;
// - admission, bodies, console, documentation, documented, hostile, oauth, sockets: have no service, only its HTTP face over
//   stand-ins.
import { after, describe } from 'node:test';
import { useInfrastructure } from '../support/service.ts';
import { threeNodes } from '../support/three-nodes.ts';

const ground = await threeNodes();
after(() => ground.stop());
useInfrastructure(ground);

const suites: Readonly<Record<string, () => Promise<unknown>>> = {
  'api/access-paths': () => import('../api/access-paths.test.ts'),
  'api/advanced-search': () => import('../api/advanced-search.test.ts'),
  'api/aggregations': () => import('../api/aggregations.test.ts'),
  'api/api-keys': () => import('../api/api-keys.test.ts'),
  'api/audit-trail': () => import('../api/audit-trail.test.ts'),
  'api/auth-users': () => import('../api/auth-users.test.ts'),
  'api/collections': () => import('../api/collections.test.ts'),
  'api/demo-access': () => import('../api/demo-access.test.ts'),
  'api/documents': () => import('../api/documents.test.ts'),
  'api/editor-extension': () => import('../api/editor-extension.test.ts'),
  'api/event-names': () => import('../api/event-names.test.ts'),
  'api/explain': () => import('../api/explain.test.ts'),
  'api/hang-up': () => import('../api/hang-up.test.ts'),
  'api/kinds': () => import('../api/kinds.test.ts'),
  'api/paging': () => import('../api/paging.test.ts'),
  'api/profile-bulk': () => import('../api/profile-bulk.test.ts'),
  'api/profile-hostile': () => import('../api/profile-hostile.test.ts'),
  'api/profile-lists': () => import('../api/profile-lists.test.ts'),
  'api/profile-tenants': () => import('../api/profile-tenants.test.ts'),
  'api/profiles': () => import('../api/profiles.test.ts'),
  'api/queries': () => import('../api/queries.test.ts'),
  'api/query-kinds': () => import('../api/query-kinds.test.ts'),
  'api/resource-bulk': () => import('../api/resource-bulk.test.ts'),
  'api/resources': () => import('../api/resources.test.ts'),
  'api/tenants': () => import('../api/tenants.test.ts'),
  'api/token-endings': () => import('../api/token-endings.test.ts'),
  'api/token-policy': () => import('../api/token-policy.test.ts'),
  'api/tokens': () => import('../api/tokens.test.ts'),
  'api/traces': () => import('../api/traces.test.ts'),
  'clients/request-examples': () => import('../clients/request-examples.test.ts'),
  'clients/typescript-sdk': () => import('../clients/typescript-sdk.test.ts'),
  'programs/programs': () => import('../programs/programs.test.ts'),
};
// Each is a suite of its own, so that its service is stopped before the next one starts.
for (const [name, load] of Object.entries(suites)) {
  describe(name, async () => {
    await load();
  });
}
