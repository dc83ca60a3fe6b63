// Imports the profile management of the demo company into its tenant: first the records that
// describe profiles, then the profiles, then the records that refer to them.
import type { DemoProfiles, DemoResources } from '../../demo/profiles.ts';
import type { Documents } from '../../service/documents/documents.ts';
import type { Store, Tenant } from '../../service/ports/store.ts';
import { seedResources, seedSearches } from '../../service/profiles/resources/resource-seed.ts';
import { CommandError, type Context } from '../context.ts';
import { valueLines } from '../value-lines.ts';

export interface ProfilesTarget {
  readonly store: Store;
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
  { store, documents, tenant, now }: ProfilesTarget,
  demo: DemoProfiles,
  total: number,
  { terminal, stop }: Pick<Context, 'terminal' | 'stop'>,
): Promise<void> {
  const progress = terminal.progress('Creating profiles', total, 'profiles');
  const seed = async (groups: Iterable<DemoResources>) => {
    for (const { kind, records } of groups) {
      stop.check();
      await seedResources(store, tenant.id, kind, records, now);
    }
  };
  try {
    await seed(demo.definitions());
    const { faults } = await documents.importProfiles(
      tenant.id,
      valueLines(demo.profiles(), stop),
      {
        strict: true,
        actor: null,
        onProgress: ({ created, updated, unchanged }) =>
          progress.update(created + updated + unchanged),
      },
    );
    const [fault] = faults;
    if (fault !== undefined) {
      throw new CommandError(`A demo profile was refused (${fault.line}): ${fault.reason}`);
    }
    await seed(demo.dependents());
    await seedSearches(store, tenant.id, demo.searches(), now);
    progress.update(total);
  } finally {
    progress.end();
  }
}
