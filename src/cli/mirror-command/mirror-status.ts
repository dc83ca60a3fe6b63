// cardea mirror --status: how current a mirror is, counts, the last runs and errors, and what it
// cannot tell. It asks nothing of the remote tenant.
import { type MirrorStatus, mirrorStatus } from '../../service/mirrors/mirror-status.ts';
import type { Store } from '../../service/ports/store.ts';
import { CommandError, type Context } from '../common/context.ts';
import { duration, grouped } from '../common/terminal.ts';

/** Runs that are printed. */
const RUNS = 5;

/** Prints the status of a mirror, or of all. */
export async function showStatus(
  store: Store,
  { name, json }: { readonly name: string | undefined; readonly json: boolean },
  { terminal, now }: Context,
): Promise<void> {
  const all: (MirrorStatus & { readonly tenant: string })[] = [];
  for (const { id, name: tenant } of await store.read.tenants()) {
    if (name !== undefined && tenant !== name) continue;
    const status = await mirrorStatus(store.read, id, now());
    if (status !== null) all.push({ tenant, ...status });
  }
  if (all.length === 0) {
    const which = name === undefined ? 'There is no mirror here' : `Tenant ${name} is no mirror`;
    throw new CommandError(`${which}: create one with cardea mirror --from URL.`);
  }
  for (const status of all) {
    if (json) terminal.printJson(status);
    else for (const line of linesOf(status)) terminal.print(line);
  }
}

function linesOf(status: MirrorStatus & { readonly tenant: string }): string[] {
  const { tenant, source, copiedAt, lagSeconds, running, parts, runs, limits } = status;
  const age =
    lagSeconds === null ? 'not complete yet' : `${duration(lagSeconds)} old (as of ${copiedAt})`;
  const lines = [`${tenant} mirrors ${source}: ${age}`];
  if (running !== null) lines.push(`  A run has been under way since ${running}, or it died.`);
  for (const { name, here, there, walk, sweptAt, refused } of parts) {
    const counts = `${grouped(here)} here, ${there === null ? '?' : grouped(there)} there`;
    const step =
      walk === null
        ? ''
        : `; ${walk.kind} at ${grouped(walk.done)}${walk.total === null ? '' : ` of ${grouped(walk.total)}`}`;
    const swept = sweptAt === null ? '' : `; swept ${sweptAt}`;
    const refusals = refused === 0 ? '' : `; ${grouped(refused)} refused`;
    lines.push(`  ${name}: ${counts}${step}${swept}${refusals}`);
  }
  for (const { name, refusals } of parts) {
    for (const { id, reason } of refusals) lines.push(`  refused: ${name} ${id}: ${reason}`);
  }
  for (const { began, outcome, error, counts } of runs.slice(0, RUNS)) {
    const { created, updated, deleted } = counts;
    const changes = `${grouped(created)} created, ${grouped(updated)} updated, ${grouped(deleted)} deleted`;
    lines.push(`  run of ${began}: ${outcome}, ${changes}${error === null ? '' : `: ${error}`}`);
  }
  return [...lines, ...limits.map((limit) => `  note: ${limit}`)];
}
