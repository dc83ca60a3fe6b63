// The published npm client, and what concerns tenants, on three nodes over PostgreSQL, OpenSearch and Redis behind a
// round robin: unchanged, as test/backends/three-nodes.test.ts, which says what is left out.
import { after } from 'node:test';
import { useInfrastructure } from '../support/service.ts';
import { threeNodes } from '../support/three-nodes.ts';

const ground = await threeNodes();
after(() => ground.stop());
useInfrastructure(ground);

await import('../api/tenants.test.ts');
await import('../clients/typescript-sdk.test.ts');
await import('../clients/request-examples.test.ts');
