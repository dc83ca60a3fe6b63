// Raises the one cluster setting that the service depends on: the most clauses of a query.
import type { Log } from '../../../log.ts';
import { type OpenSearchClient, OpenSearchFault } from '../client.ts';

const ADMIN_MS = 30_000;
/**
 * Lucene's default is lower than what one free-text word in each clause of a request expands to.
 */
const CLAUSES = 65_536;
const CLAUSES_SETTING = 'indices.query.bool.max_clause_count';

/** One word may expand to ten fields, and a request may have a thousand words. */
export async function allowClauses(client: OpenSearchClient, log: Log): Promise<void> {
  try {
    const settings = await client.send<Record<string, Record<string, unknown>>>(
      {
        method: 'GET',
        path: '/_cluster/settings',
        query: {
          include_defaults: 'true',
          flat_settings: 'true',
          filter_path: `*.${CLAUSES_SETTING.replaceAll('.', '*')}`,
        },
      },
      { timeoutMs: ADMIN_MS },
    );
    const { transient = {}, persistent = {}, defaults = {} } = settings;
    const current = [transient, persistent, defaults]
      .map((scope) => scope[CLAUSES_SETTING])
      .find((value) => value !== undefined);
    if (current !== undefined && Number(current) >= CLAUSES) return;
    await client.send(
      {
        method: 'PUT',
        path: '/_cluster/settings',
        body: { persistent: { [CLAUSES_SETTING]: CLAUSES } },
      },
      { timeoutMs: ADMIN_MS },
    );
    log.info({ [CLAUSES_SETTING]: CLAUSES }, 'A setting of OpenSearch was raised');
  } catch (error) {
    if (!(error instanceof OpenSearchFault)) throw error;
    log.warn({ err: error }, `${CLAUSES_SETTING} could not be raised: large queries may fail`);
  }
}
