// Documents by type: how many are searchable, when one was last synchronised, and for administrators
// what the index of each type takes.
import type { IndexStatus } from '../../api/node-status.ts';
import { aggregate } from '../../api/search-api.ts';
import { visibleTypes } from '../../api/views/sight.ts';
import { bytesText, countText } from '../../model/amount.ts';
import { instantText } from '../../model/document-value.ts';
import { KINDS } from '../../model/kinds.ts';
import { defaultSearch, printSearch } from '../../model/search-state.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { TableFrame } from '../../ui/table-frame.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';

/**
 * Documents by type: their number, and when one was last synchronised.
 * @param indexes index statistics; null if they are not available
 */
export function DocumentTable({ indexes }: { indexes: readonly IndexStatus[] | null }) {
  const types = useCell(visibleTypes) ?? [];
  // Another number of documents means that there are others, as after an import.
  const count = (indexes ?? []).reduce((sum, { documents }) => sum + documents, 0);
  const { value, fault, reload } = useLoad(`documents by type ${count}`, (signal) =>
    aggregate(
      {
        aggregationsDsl: {
          types: {
            terms: { field: '_type', size: 6 },
            aggs: { latest: { max: { field: 'synced' } } },
          },
        },
      },
      signal,
    ),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting />;
  const buckets = new Map(
    (value['types']?.buckets ?? []).map((bucket) => [String(bucket.key), bucket]),
  );
  return (
    <section class="related" aria-label="Documents">
      <h2>Documents</h2>
      {buckets.size === 0 && <p>There are no documents yet. Import a file, or mirror a tenant.</p>}
      <TableFrame label="Documents by type" size="short">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col" class="cell-number">
              Searchable
            </th>
            {indexes !== null && (
              <>
                <th
                  scope="col"
                  class="cell-number"
                  title="Deleted or replaced, not yet removed by a merge"
                >
                  Deleted
                </th>
                <th scope="col" class="cell-number">
                  Segments
                </th>
                <th scope="col" class="cell-number">
                  Size
                </th>
              </>
            )}
            <th scope="col">Last synchronised (UTC)</th>
          </tr>
        </thead>
        <tbody>
          {KINDS.filter(({ index }) => types.includes(index)).map(({ index, type, plural }) => {
            const bucket = buckets.get(type) as
              | { doc_count: number; latest?: { value: number | null } }
              | undefined;
            const status = indexes?.find((one) => one.index === index);
            const latest = bucket?.latest?.value ?? null;
            return (
              <tr key={index}>
                <td>
                  <a href={`#${printSearch(defaultSearch(index))}`}>{plural}</a>
                </td>
                <td class="cell-number">
                  {(status?.documents ?? bucket?.doc_count ?? 0).toLocaleString('en')}
                </td>
                {indexes !== null && <IndexCells status={status} />}
                <td>{latest === null ? '–' : instantText(new Date(latest).toISOString())}</td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
    </section>
  );
}

function IndexCells({ status }: { status: IndexStatus | undefined }) {
  return (
    <>
      <td class="cell-number">{countText(status === undefined ? 0 : status.deleted)}</td>
      <td class="cell-number">{countText(status === undefined ? 0 : status.segments)}</td>
      <td class="cell-number">{sizeText(status)}</td>
    </>
  );
}

function sizeText(status: IndexStatus | undefined): string {
  if (status === undefined) return '–';
  const { bytesOnDisk, bytesInMemory } = status;
  const inMemory = (bytesInMemory ?? 0) > 0 ? `${bytesText(bytesInMemory ?? 0)} in memory` : null;
  const onDisk = (bytesOnDisk ?? 0) > 0 ? bytesText(bytesOnDisk ?? 0) : null;
  return [onDisk, inMemory].filter((part) => part !== null).join(', ') || '–';
}
