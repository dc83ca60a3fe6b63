// Seeds records of profile management: with given keys, and without audit events, because there is
// no actor.
// Invariant: existing records stay; an interrupted seed can be run again.
import type { Store } from '../../ports/store.ts';
import { type FieldErrors, isFaultless, recordRefused } from '../faults.ts';
import { resolveSentRules } from '../rules/advanced-search-request.ts';
import { ruleSubjects } from '../rules/rule-subjects.ts';
import { RULES, ruleIdOf, type Sent } from '../rules/search-rule.ts';
import type { Draft } from './descriptor.ts';
import { descriptors } from './descriptors.ts';
import { membersOf, readRecord } from './record-reader.ts';
import type { ResourceKind, ResourceTypes } from './resources.ts';

/** A record in the API's format, with its `id` and `uid`. */
export type SeedRecord = Readonly<Record<string, unknown>>;

/**
 * Adds records of one kind, or updates the ones with the same uid.
 * @param now ISO 8601 with milliseconds
 * @throws ServiceError `request_invalid`; nothing is written then
 */
export async function seedResources<K extends ResourceKind>(
  store: Store,
  tenantId: string,
  kind: K,
  seed: readonly SeedRecord[],
  now: string,
): Promise<void> {
  const descriptor = descriptors[kind];
  await store.write(async (records) => {
    for (const record of seed) {
      const uid = String(record['uid']);
      const before = await records.resource(tenantId, kind, uid);
      const errors: FieldErrors = {};
      const draft: Draft = await readRecord(descriptor, {
        records,
        tenantId,
        now,
        errors,
        id: String(record['id']),
        before: before as Readonly<Record<string, unknown>> | null,
        body: membersOf(record) ?? new Map(),
      });
      if (!isFaultless(errors)) throw recordRefused(`${kind} ${uid}`, 'create', errors);
      const read = draft as unknown as ResourceTypes[K];
      if (before === null) await records.addResource(tenantId, kind, read);
      else if (JSON.stringify(before) !== JSON.stringify(read))
        await records.updateResource(tenantId, kind, read);
    }
  });
}

/**
 * Adds advanced searches that do not exist yet.
 * @param now ISO 8601 with milliseconds
 * @throws ServiceError `request_invalid`; nothing is written then
 */
export async function seedSearches(
  store: Store,
  tenantId: string,
  seed: readonly SeedRecord[],
  now: string,
): Promise<void> {
  await store.write(async (records) => {
    // Rules are stored as they are sent, so the day makes no difference.
    const context = { subjects: ruleSubjects(records, tenantId), today: 0 };
    for (const record of seed) {
      const [id, uid, label] = [
        String(record['id']),
        String(record['uid']),
        String(record['label']),
      ];
      if ((await records.advancedSearch(tenantId, uid)) !== null) continue;
      const resolved = await resolveSentRules(record[RULES] as readonly Sent[], context, 'create');
      const rules = resolved.map(({ rule }, place) => {
        const ruleId = ruleIdOf(id, place);
        return { id: ruleId, uid: ruleId.replaceAll('-', ''), ...rule };
      });
      const times = { createdAt: now, updatedAt: now };
      await records.addAdvancedSearch(tenantId, { id, uid, label, rules, ...times });
    }
  });
}
