// The auth users of a mirror. The remote service lists none, so each is asked for by its id: those
// of all mirrored identities, or of a list. An identity without auth user is 404.
// Invariant: only auth users that the mirror brought are deleted, never more than half of them, and
// never the last administrator.
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../../errors.ts';
import { changeAuthUser } from '../../../service/accounts/auth-user-administration.ts';
import { LOCAL_OPERATOR } from '../../../service/audit/audit-event.ts';
import type { ImportPages, PageItem } from '../../../service/documents/import-pages.ts';
import { AUTH_USER_PART, type MirrorPart } from '../../../service/ports/mirror-records.ts';
import type { WritableRecords } from '../../../service/ports/store.ts';
import { DeletionLimit } from './deletion-limit.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { mirroredOf } from './mirrored-ids.ts';
import { counted, newWalk, type PartProgress, walkedTo } from './part-progress.ts';

/** Fewer auth users than this may all disappear. */
const LIMITED_FROM = 10;
/** Ids asked for before one transaction. */
const IDS = 40;
/** Requests at the same time. */
const AT_ONCE = 4;

/** Copies the chosen auth users, or the rest of a copy that was interrupted. */
export async function copyAuthUsers(world: MirrorWorld, progress: PartProgress): Promise<void> {
  const { store, tenantId, clock } = world;
  if (progress.part.walk === null) {
    const began = new Date(clock.now()).toISOString();
    const counts = await store.read.mirroredCounts(tenantId);
    const { authUsers } = world.choices;
    const total = typeof authUsers === 'string' ? (counts['identities'] ?? 0) : authUsers.length;
    await progress.set({ walk: newWalk({ kind: 'copy', began, total }) });
  }
  const pages = await world.local.authUserPages(tenantId);
  const limit = await DeletionLimit.of(world, progress, LIMITED_FROM);
  const target = { progress, pages, limit };
  for (;;) {
    const { walk } = progress.part;
    if (walk === null) throw new Error('The auth users have no walk');
    const ids = await idsAfter(world, walk.after);
    if (ids.length === 0) break;
    await copyUsers(world, target, ids);
    world.signal.throwIfAborted();
  }
  await deleteStrays(world, target);
  const counts = await store.read.mirroredCounts(tenantId);
  const { walk } = progress.part;
  await progress.set({
    walk: null,
    copiedAt: walk?.began ?? null,
    there: counts[AUTH_USER_PART] ?? 0,
    shrinking: null,
  });
}

async function idsAfter(world: MirrorWorld, after: string | null): Promise<readonly string[]> {
  const { store, tenantId, choices } = world;
  if (typeof choices.authUsers === 'string') {
    return store.read.mirroredIds(tenantId, 'identities', { after, upTo: null }, IDS);
  }
  const place = after === null ? 0 : choices.authUsers.indexOf(after) + 1;
  return choices.authUsers.slice(place, place + IDS);
}

interface Target {
  readonly progress: PartProgress;
  readonly pages: ImportPages<unknown>;
  readonly limit: DeletionLimit;
}

/** Copies these users, deletes those that no longer exist, and advances the walk. */
async function copyUsers(
  world: MirrorWorld,
  { progress, pages, limit }: Target,
  ids: readonly string[],
  advances = true,
): Promise<void> {
  const { tenantId } = world;
  const { users, missing } = await fetchUsers(world, ids);
  const mirrored = await mirroredOf(world, AUTH_USER_PART, missing);
  limit.checkDeletions(mirrored.length);
  let stored: MirrorPart = progress.part;
  await pages.put(users, async (records, page) => {
    const removal = await removeUsers(records, world, mirrored);
    const refused = [...page.refused, ...removal.refused];
    const part = counted(progress.part, { ...page, refused, deleted: removal.removed.length });
    const last = ids.at(-1);
    stored = advances && last !== undefined ? walkedTo(part, last, { passed: ids.length }) : part;
    await records.addMirrored(tenantId, AUTH_USER_PART, page.ids);
    await records.removeMirrored(tenantId, AUTH_USER_PART, removal.removed);
    await progress.put(records, stored);
  });
  progress.became(stored);
}

async function fetchUsers({ remote }: MirrorWorld, ids: readonly string[]) {
  const users: PageItem[] = [];
  const missing: string[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const asked = ids.slice(from, from + AT_ONCE);
    const answers = await Promise.all(asked.map((id) => remote.authUser(id)));
    for (const [i, user] of answers.entries()) {
      if (user === null) missing.push(asked[i] as string);
      else users.push(user);
    }
  }
  return { users, missing };
}

async function removeUsers(
  records: WritableRecords,
  { tenantId, clock, policy }: MirrorWorld,
  ids: readonly string[],
) {
  const removed: string[] = [];
  const refused: { id: string; reason: string }[] = [];
  const change = { now: clock.now(), random: randomBytes, actor: LOCAL_OPERATOR, policy };
  for (const id of ids) {
    try {
      if ((await records.authUser(tenantId, id)) !== null) {
        await changeAuthUser(records, tenantId, id, 'delete', change);
      }
      removed.push(id);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ id, reason: error.details.causes?.[0] ?? error.message });
    }
  }
  return { removed, refused };
}

/** Deletes the auth users of identities that the remote tenant no longer has. */
async function deleteStrays(world: MirrorWorld, target: Target): Promise<void> {
  const { store, tenantId, choices } = world;
  if (choices.authUsers !== 'all') return;
  for (let after: string | null = null; ; ) {
    const range: { after: string | null; upTo: null } = { after, upTo: null };
    const ids: readonly string[] = await store.read.mirroredIds(
      tenantId,
      AUTH_USER_PART,
      range,
      IDS,
    );
    const here = await store.read.existingDocuments(tenantId, 'identities', ids);
    const strays = ids.filter((id) => !here.has(id));
    if (strays.length > 0) await copyUsers(world, target, strays, false);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
