// The powers for tests of a tenant's administrators: faults, the journal of requests, advice, the
// clock, snapshots and reset. Every server has the routes; only one for tests has the powers.
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { callerOf, type Endpoint, pathParameter } from '../requests/endpoint.ts';

/** What the routes call, each for one tenant. */
export interface TestCases {
  faults(tenantId: string): object;
  /** @throws ServiceError `request_invalid` */
  setFaults(tenantId: string, value: unknown): object;
  requests(tenantId: string): object;
  forgetRequests(tenantId: string): void;
  advice(tenantId: string): object;
  clock(): object;
  /** @throws ServiceError `request_invalid`, `forbidden` if other tenants share the clock */
  setClock(tenantId: string, value: unknown): Promise<object>;
  /** @throws ServiceError `limit_violation` */
  takeSnapshot(tenantId: string): Promise<object>;
  /** @throws ServiceError `not_found` */
  restoreSnapshot(tenantId: string, id: string): Promise<void>;
  /** @throws ServiceError `not_found` */
  deleteSnapshot(tenantId: string, id: string): void;
  reset(tenantId: string): Promise<void>;
}

/** @param cases null: the powers are off, and every request is refused */
export function testPowerEndpoints(cases: TestCases | null): Endpoint[] {
  const endpoint = (
    method: Endpoint['method'],
    path: string,
    answer: (cases: TestCases, tenantId: string, request: FastifyRequest) => unknown,
  ): Endpoint => ({
    method,
    path: `/admin/v1${path}`,
    dialect: 'isc',
    operation: 'admin',
    work: method === 'GET' ? null : 'changes',
    body: method === 'PUT' ? 'json' : 'none',
    isTestPower: true,
    async handle(request, reply) {
      if (cases === null) throw powersOff();
      const body = await answer(cases, callerOf(request).tenantId, request);
      return body === undefined ? reply.code(204).send() : body;
    },
  });
  const id = (request: FastifyRequest) => pathParameter(request, 'id');
  return [
    endpoint('GET', '/faults', (on, tenant) => on.faults(tenant)),
    endpoint('PUT', '/faults', (on, tenant, { body }) => on.setFaults(tenant, body)),
    endpoint('DELETE', '/faults', (on, tenant) => void on.setFaults(tenant, [])),
    endpoint('GET', '/requests', (on, tenant) => on.requests(tenant)),
    endpoint('DELETE', '/requests', (on, tenant) => on.forgetRequests(tenant)),
    endpoint('GET', '/advice', (on, tenant) => on.advice(tenant)),
    endpoint('GET', '/clock', (on) => on.clock()),
    endpoint('PUT', '/clock', (on, tenant, { body }) => on.setClock(tenant, body)),
    endpoint('POST', '/snapshots', (on, tenant) => on.takeSnapshot(tenant)),
    endpoint('POST', '/snapshots/:id/restore', (on, tenant, request) =>
      on.restoreSnapshot(tenant, id(request)),
    ),
    endpoint('DELETE', '/snapshots/:id', (on, tenant, request) =>
      on.deleteSnapshot(tenant, id(request)),
    ),
    endpoint('POST', '/reset', (on, tenant) => on.reset(tenant)),
  ];
}

function powersOff(): ServiceError {
  return new ServiceError('forbidden', 'This server has no powers for tests.', {
    causes: [
      'Faults, the journal of requests, advice, the clock, snapshots and reset are for tests: start the server with cardea start --ephemeral, or with CARDEA_TESTING=on.',
    ],
  });
}
