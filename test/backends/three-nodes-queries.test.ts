// The suites that ask much of the search, unchanged, on three nodes over PostgreSQL, OpenSearch and Redis behind
// a round robin, as test/backends/three-nodes.test.ts, which says what is left out.
import { after } from 'node:test';
import { useInfrastructure } from '../support/service.ts';
import { threeNodes } from '../support/three-nodes.ts';

const ground = await threeNodes();
after(() => ground.stop());
useInfrastructure(ground);

await import('../api/access-paths.test.ts');
await import('../api/kinds.test.ts');
await import('../api/paging.test.ts');
await import('../api/queries.test.ts');
await import('../api/query-kinds.test.ts');
