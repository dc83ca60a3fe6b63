// The one setting of the cluster that the service needs: how many clauses a query may have.
import type { BackendLog } from '../backend-log.ts';
import { type OpenSearchClient, OpenSearchFault } from './client.ts';

const ADMIN_MS = 30_000;
/** What Lucene allows a query by default is less than a free word makes of the clauses of one request. */
const CLAUSES = 65_536;
const CLAUSES_SETTING = 'indices.query.bool.max_clause_count';

/** One word may be asked of ten fields, and a request has a thousand of them. */
export async function allowClauses(client: OpenSearchClient, log: BackendLog): Promise<void> {
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
    const found = [transient, persistent, defaults]
      .map((scope) => scope[CLAUSES_SETTING])
      .find((value) => value !== undefined);
    if (found !== undefined && Number(found) >= CLAUSES) return;
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
