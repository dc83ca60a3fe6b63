// The orders that the library `cardea/testing` may give to its child process, on any tenant of it.
import type { Cardea } from '../../compose/compose.ts';
import { IDENTITIES_MOST, PROFILES_MOST, SEED_DEFAULT, SEED_MOST } from '../../demo/sizes.ts';
import type { Context } from '../common/context.ts';
import type { Orders } from './orders.ts';
import { createTestTenant, seed } from './test-tenant.ts';
import { identitiesByDefault, startOfDay, type TestTenantRequest } from './test-tenant-request.ts';

/** @param baseUrl the address of the server */
export function testOrders(service: Cardea, baseUrl: string, context: Context): Orders {
  let created = 0;
  const powers = service.testPowers;
  if (powers === null) throw new Error('a throw-away server has the powers for tests');
  return {
    createTenant(request: Partial<TestTenantRequest>) {
      checkRequest(request);
      created += 1;
      const whole: TestTenantRequest = {
        name: created === 1 ? 'test' : `test-${created}`,
        seed: SEED_DEFAULT,
        identities: identitiesByDefault(request.fixture),
        profiles: 0,
        date: startOfDay(Date.parse(powers.clock().now)),
        ...request,
      };
      return createTestTenant(service, whole, baseUrl, context);
    },
    async seed({ tenantId, documents }: { tenantId: string; documents: readonly object[] }) {
      const report = await seed(service, tenantId, documents, context);
      const { created: added, updated, unchanged } = report;
      return { created: added, updated, unchanged };
    },
    reset: async ({ tenantId }: OfTenant) => powers.reset(tenantId),
    snapshot: async ({ tenantId }: OfTenant) => powers.takeSnapshot(tenantId),
    restore: async ({ tenantId, id }: OfTenant & { id: string }) =>
      powers.restoreSnapshot(tenantId, id),
    deleteSnapshot: async ({ tenantId, id }: OfTenant & { id: string }) =>
      powers.deleteSnapshot(tenantId, id),
    setNow: async ({ tenantId, now }: OfTenant & { now: string }) =>
      powers.setClock(tenantId, { now }),
    faults: async ({ tenantId }: OfTenant) => powers.faults(tenantId).faults,
    setFaults: async ({ tenantId, plan }: OfTenant & { plan: unknown }) => {
      powers.setFaults(tenantId, plan);
    },
    requests: async ({ tenantId }: OfTenant) => powers.requests(tenantId).requests,
    forgetRequests: async ({ tenantId }: OfTenant) => powers.forgetRequests(tenantId),
    advice: async ({ tenantId }: OfTenant) => powers.advice(tenantId),
    closeTenant: async ({ tenantId }: OfTenant) => powers.forget(tenantId),
  };
}

interface OfTenant {
  readonly tenantId: string;
}

/** The least and the most of each number in a request. */
const BOUNDS = {
  identities: [0, IDENTITIES_MOST],
  profiles: [0, PROFILES_MOST],
  seed: [0, SEED_MOST],
} as const;

/** @throws Error that names a member which is wrong */
function checkRequest(request: Partial<TestTenantRequest>): void {
  for (const [name, [least, most]] of Object.entries(BOUNDS)) {
    const value = request[name as keyof typeof BOUNDS];
    const isRight =
      value === undefined || (Number.isInteger(value) && value >= least && value <= most);
    if (!isRight) {
      throw new Error(
        `${name} must be a whole number from ${least} to ${most}; it is ${JSON.stringify(value)}.`,
      );
    }
  }
  if (request.documents !== undefined && !Array.isArray(request.documents)) {
    throw new Error('documents must be an array of documents as the search returns them.');
  }
}
