// Imports the profile management of the demo company into its tenant: first the records that
// describe profiles, then the profiles, then the records that refer to them.
import type { DemoProfiles } from '../../demo/profiles.ts';
import { operatorOf } from '../../service/audit/operator-event.ts';
import type { Documents } from '../../service/imports/documents.ts';
import type { Tenant } from '../../service/ports/store.ts';
import { SEARCH_WRAPPER, wrapped } from '../../service/profiles/resource-import.ts';
import { CommandError, type Context } from '../common/context.ts';
import { valueLines } from '../common/value-lines.ts';

export interface ProfilesTarget {
  readonly documents: Documents;
  readonly tenant: Tenant;
  /** The reference date, ISO 8601 with milliseconds. */
  readonly now: string;
}

/**
 * Imports what is missing; existing records are unchanged.
 * @param total number of profiles
 */
export async function fillProfiles(
  { documents, tenant, now }: ProfilesTarget,
  demo: DemoProfiles,
  total: number,
  { terminal, stop }: Pick<Context, 'terminal' | 'stop'>,
): Promise<void> {
  const progress = terminal.progress('Creating profiles', total, 'profiles');
  try {
    const { faults } = await documents.importProfiles(
      operatorOf(tenant.id),
      valueLines(linesOf(demo, now), stop),
      {
        strict: true,
        isSeed: true,
        onProgress: ({ created, updated, unchanged }) =>
          progress.update(Math.min(total, created + updated + unchanged)),
      },
    );
    const [fault] = faults;
    if (fault !== undefined) {
      throw new CommandError(`A demo profile was refused (${fault.line}): ${fault.reason}`);
    }
    progress.update(total);
  } finally {
    progress.end();
  }
}

function* linesOf(demo: DemoProfiles, now: string): Generator<object> {
  for (const { kind, records } of demo.definitions()) yield* wrapped(kind, records, now);
  yield* demo.profiles();
  for (const { kind, records } of demo.dependents()) yield* wrapped(kind, records, now);
  for (const record of demo.searches()) {
    yield { [SEARCH_WRAPPER]: { ...record, created_at: now, updated_at: now } };
  }
}
