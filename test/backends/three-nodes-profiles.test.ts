// The suites of profile management, unchanged, on three nodes over PostgreSQL, OpenSearch and Redis behind
// a round robin, as test/backends/three-nodes.test.ts, which says what is left out.
import { after } from 'node:test';
import { useInfrastructure } from '../support/service.ts';
import { threeNodes } from '../support/three-nodes.ts';

const ground = await threeNodes();
after(() => ground.stop());
useInfrastructure(ground);

await import('../api/advanced-search.test.ts');
await import('../api/profile-bulk.test.ts');
await import('../api/profile-hostile.test.ts');
await import('../api/profile-lists.test.ts');
await import('../api/profile-tenants.test.ts');
await import('../api/profiles.test.ts');
await import('../api/resource-bulk.test.ts');
await import('../api/resource-refusals.test.ts');
await import('../api/resources.test.ts');
