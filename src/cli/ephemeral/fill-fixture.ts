// Fills a tenant from a fixture; loaded only if one is used, with the parsers of YAML and schemas.
import { readFileSync } from 'node:fs';
import { fileFault, readRegularFile } from '../../config/file-fault.ts';
import { operatorOf } from '../../service/audit/operator-event.ts';
import type { Documents, ImportReport } from '../../service/imports/documents.ts';
import type { Tenant } from '../../service/ports/store.ts';
import { wrapped } from '../../service/profiles/resource-import.ts';
import { checkFixture, parseFixture } from '../../testing/fixture/fixture.ts';
import { fixtureRecords } from '../../testing/fixture/fixture-records.ts';
import { CommandError, type Context } from '../common/context.ts';
import { valueLines } from '../common/value-lines.ts';

/** The schema of fixtures, in the docs of the package. */
function fixtureSchema(): object {
  for (let url = new URL('.', import.meta.url); url.pathname !== '/'; url = new URL('..', url)) {
    try {
      return JSON.parse(readFileSync(new URL('docs/fixture.schema.json', url), 'utf8')) as object;
    } catch {
      // Not in this directory.
    }
  }
  throw new CommandError('docs/fixture.schema.json is missing: install cardea again.');
}

/**
 * Fills a tenant.
 * @param fixture the name of a file, YAML or JSON, or the fixture itself
 * @param now ISO 8601, for records without a date
 * @throws ServiceError `request_invalid` with the place of every fault
 */
export async function fillFixture(
  tenant: Tenant,
  documents: Documents,
  fixture: string | object,
  now: string,
  { stop }: Pick<Context, 'stop'>,
): Promise<void> {
  const value = typeof fixture === 'string' ? parseFixture(readFile(fixture)) : fixture;
  const records = fixtureRecords(checkFixture(value, fixtureSchema()), now);
  const options = { strict: true, isSeed: true };
  const lines = (values: readonly object[]) => valueLines(values, stop);
  refuseFaults(
    await documents.importDocuments(operatorOf(tenant.id), lines(records.documents), options),
  );
  refuseFaults(
    await documents.importAuthUsers(operatorOf(tenant.id), lines(records.authUsers), options),
  );
  const resources = records.resources.flatMap(({ kind, records: some }) =>
    wrapped(kind, some, now),
  );
  const { faults, warnings } = await documents.importProfiles(
    operatorOf(tenant.id),
    lines([...resources, ...records.profiles]),
    options,
  );
  // A value that is left out is a mistake here.
  refuseFaults({ faults: [...faults, ...warnings] });
}

function readFile(path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw new CommandError(`The fixture ${path} cannot be read: ${fileFault(error)}.`);
  }
}

function refuseFaults({ faults }: Pick<ImportReport, 'faults'>): void {
  const [fault] = faults;
  if (fault !== undefined) throw new CommandError(`The fixture is not valid: ${fault.reason}`);
}
