// Creates tenants of a throw-away server: a company of the demo's generator, or an empty tenant
// with one administrator, and credentials for it.
// Invariant: a tenant is returned once everything it was created with is searchable.
import type { Cardea } from '../../compose/compose.ts';
import { demoAdministratorId } from '../../demo/auth-users.ts';
import { ServiceError } from '../../errors.ts';
import { createAdmin, createTenant } from '../../service/accounts/provisioning.ts';
import { operatorOf } from '../../service/audit/operator-event.ts';
import type { ImportReport } from '../../service/imports/documents.ts';
import type { Store, Tenant } from '../../service/ports/store.ts';
import type { Context } from '../common/context.ts';
import { valueLines } from '../common/value-lines.ts';
import { type Credentials, sdkVariables } from '../demo/credentials.ts';
import { createCredentials, fillTenant } from '../demo/demo-tenant.ts';
import type { TestTenantRequest } from './test-tenant-request.ts';

/** What a test needs to reach its tenant. */
export interface TestTenant {
  readonly tenantId: string;
  readonly baseUrl: string;
  readonly credentials: Omit<Credentials, 'baseUrl'>;
  /** The variables that the official SDKs and the command line of the vendor read. */
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds in which a new tenant must be searchable. */
const SEARCHABLE_MS = 120_000;

/** Creates a tenant on a server whose indexer runs. */
export async function createTestTenant(
  service: Pick<Cardea, 'store' | 'documents' | 'indexer' | 'testPowers'>,
  request: TestTenantRequest,
  baseUrl: string,
  context: Pick<Context, 'terminal' | 'stop' | 'now'>,
): Promise<TestTenant> {
  const { store, testPowers } = service;
  const tenant = await createTenant(store, { name: request.name });
  if (request.identities > 0) await fillTenant(tenant, service.documents, request, context);
  if (request.fixture !== undefined) {
    const { fillFixture } = await import('./fill-fixture.ts');
    await fillFixture(tenant, service.documents, request.fixture, request.date, context);
  }
  if (request.documents !== undefined) await seed(service, tenant.id, request.documents, context);
  const owner = await administratorOf(store, tenant, request);
  const created = await createCredentials(store, tenant, owner, baseUrl, context);
  await makeSearchable(service, await store.read.lastSequence());
  await testPowers?.rememberStart(tenant.id);
  const { baseUrl: _, ...credentials } = created;
  return { tenantId: tenant.id, baseUrl, credentials, env: sdkVariables(created) };
}

/** The id of an ORG_ADMIN; an empty tenant gets one. */
async function administratorOf(
  store: Store,
  tenant: Tenant,
  request: TestTenantRequest,
): Promise<string> {
  if (request.identities > 0) return demoAdministratorId(request);
  const admin = await createAdmin(store, tenant, { uid: 'test.admin', displayName: 'Test Admin' });
  return admin.id;
}

/**
 * Adds documents in the form of the public search API, and waits until they are searchable.
 * @throws ServiceError `request_invalid` with the reasons if one is refused; the others are kept
 */
export async function seed(
  service: Pick<Cardea, 'documents' | 'indexer' | 'testPowers'>,
  tenantId: string,
  values: readonly object[],
  { stop }: Pick<Context, 'stop'>,
): Promise<ImportReport> {
  const lines = valueLines(values, stop);
  const report = await service.documents.importDocuments(operatorOf(tenantId), lines, {
    isSeed: true,
  });
  if (report.failed > 0) {
    throw new ServiceError('request_invalid', 'Documents were refused.', {
      causes: report.faults.map(({ line, reason }) => `Document ${line}: ${reason}`),
    });
  }
  await makeSearchable(service, report.sequence);
  return report;
}

/** Waits until the changes up to `sequence` are searchable, without the index lag. */
async function makeSearchable(
  { indexer, testPowers }: Pick<Cardea, 'indexer' | 'testPowers'>,
  sequence: number,
): Promise<void> {
  await testPowers?.showAll();
  await indexer.waitFor(sequence, SEARCHABLE_MS);
}
