// Changes the cluster settings that the service depends on, where they have other values: the most
// clauses of a query, and whether ids may be read into memory.
import type { Log } from '../../../telemetry/log.ts';
import { type OpenSearchClient, OpenSearchFault } from '../requests/client.ts';

const ADMIN_MS = 30_000;

interface Needed {
  readonly setting: string;
  readonly value: number | boolean;
  /** Whether the service can do without a change. */
  suffices(current: unknown): boolean;
}

/** Lucene's default is lower than what one free-text word in each clause of a request expands to. */
const CLAUSES = 65_536;

const NEEDED: readonly Needed[] = [
  {
    // One word may expand to ten fields, and a request may have a thousand words.
    setting: 'indices.query.bool.max_clause_count',
    value: CLAUSES,
    suffices: (current) => Number(current) >= CLAUSES,
  },
  {
    // For aggregations of elements that need the ids of documents. OpenSearch's default.
    setting: 'indices.id_field_data.enabled',
    value: true,
    suffices: (current) => current === undefined || String(current) === 'true',
  },
];

/** Changes them, or logs a warning if that is not allowed. */
export async function changeClusterSettings(client: OpenSearchClient, log: Log): Promise<void> {
  try {
    const current = await read(client);
    for (const needed of NEEDED) {
      const { setting, value } = needed;
      if (needed.suffices(current(setting))) continue;
      await client.send(
        { method: 'PUT', path: '/_cluster/settings', body: { persistent: { [setting]: value } } },
        { timeoutMs: ADMIN_MS },
      );
      log.info({ [setting]: value }, 'A setting of OpenSearch was changed');
    }
  } catch (error) {
    if (!(error instanceof OpenSearchFault)) throw error;
    const settings = NEEDED.map(({ setting }) => setting).join(' and ');
    log.warn({ err: error }, `${settings} could not be changed: some searches may fail`);
  }
}

/** @returns the value that is in effect; undefined if OpenSearch has no such setting */
async function read(client: OpenSearchClient): Promise<(setting: string) => unknown> {
  const names = NEEDED.map(({ setting }) => `*.${setting.replaceAll('.', '*')}`);
  const settings = await client.send<Record<string, Record<string, unknown>>>(
    {
      method: 'GET',
      path: '/_cluster/settings',
      query: { include_defaults: 'true', flat_settings: 'true', filter_path: names.join(',') },
    },
    { timeoutMs: ADMIN_MS },
  );
  const { transient = {}, persistent = {}, defaults = {} } = settings;
  const scopes = [transient, persistent, defaults];
  return (setting) => scopes.map((scope) => scope[setting]).find((value) => value !== undefined);
}
