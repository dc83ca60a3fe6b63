// Calls of dashboards (docs/api.md). A user sees their own and those that others share.
import { call, callJson } from './client.ts';
import type { Dashboard, DashboardDefinition, DashboardSummary } from './dashboard.ts';

/** A dashboard with the tag of what was read, for its next change. */
export interface TaggedDashboard {
  readonly dashboard: Dashboard;
  readonly etag: string;
}

const DASHBOARDS = 'admin/v1/dashboards';
/** The largest page of a list. */
const PAGE = 250;

/** @throws ApiFault `forbidden` for users who may not search */
export async function listDashboards(signal?: AbortSignal): Promise<DashboardSummary[]> {
  const items: DashboardSummary[] = [];
  for (;;) {
    const page = await callJson<DashboardSummary[]>(
      `${DASHBOARDS}?limit=${PAGE}&offset=${items.length}`,
      signal === undefined ? {} : { signal },
    );
    items.push(...page);
    if (page.length < PAGE) return items;
  }
}

/** @throws ApiFault `missing` also for a private one of somebody else */
export async function getDashboard(id: string, signal?: AbortSignal): Promise<TaggedDashboard> {
  return tagged(await call(pathOf(id), signal === undefined ? {} : { signal }));
}

/** @throws ApiFault */
export async function createDashboard(definition: DashboardDefinition): Promise<TaggedDashboard> {
  return tagged(await call(DASHBOARDS, { method: 'POST', body: definition }));
}

/** @throws ApiFault `changed` if it has changed since it was read */
export async function replaceDashboard(
  id: string,
  definition: DashboardDefinition,
  etag: string,
): Promise<TaggedDashboard> {
  const headers = { 'if-match': etag };
  return tagged(await call(pathOf(id), { method: 'PUT', body: definition, headers }));
}

/** @throws ApiFault */
export async function deleteDashboard(id: string): Promise<void> {
  await call(pathOf(id), { method: 'DELETE' });
}

async function tagged(answer: Response): Promise<TaggedDashboard> {
  const dashboard = (await answer.json()) as Dashboard;
  return { dashboard, etag: answer.headers.get('etag') ?? '*' };
}

function pathOf(id: string): string {
  return `${DASHBOARDS}/${encodeURIComponent(id)}`;
}
