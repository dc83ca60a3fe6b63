// Documents related to another one: the first hits of a search, with a link to the whole search.
import type { IndexName } from '../../../src/query/query.ts';
import { search } from '../../api/search-api.ts';
import { firstText } from '../../model/document-value.ts';
import { kindOf, labelOf } from '../../model/kinds.ts';
import { documentAddress, searchAddress } from '../../model/reference.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { column, ElementTable, nameColumn } from './element-table.tsx';

export interface RelatedProps {
  readonly title: string;
  readonly index: IndexName;
  readonly query: string;
}

const SHOWN_MAX = 15;

export function Related({ title, index, query }: RelatedProps) {
  const kind = kindOf(index);
  const body = {
    indices: [index],
    query: { query },
    sort: [kind.sort, 'id'],
    includeNested: false,
  };
  const { value, fault, reload } = useLoad(JSON.stringify(body), (signal) =>
    search(body, { limit: SHOWN_MAX, count: 'exact' }, signal),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting />;
  const [first = 'name', ...others] = kind.columns;
  const linkColumn = {
    ...nameColumn(labelOf(first), index),
    cell: (hit: unknown) => (
      <a href={documentAddress(index, firstText(hit, 'id'))}>
        {first === 'created'
          ? column('', first).cell(hit)
          : firstText(hit, first, 'displayName', 'name', 'id')}
      </a>
    ),
  };
  return (
    <section class="related">
      <h2>
        {title} <span class="quiet">{value.total.toLocaleString('en')}</span>
      </h2>
      <ElementTable
        label={title}
        elements={value.hits}
        columns={[linkColumn, ...others.map((path) => column(labelOf(path), path))]}
      />
      {value.total > 0 && (
        <p>
          <a href={searchAddress(index, query)}>
            {value.total > SHOWN_MAX
              ? `See all ${value.total.toLocaleString('en')}`
              : 'Open in search'}
          </a>
        </p>
      )}
    </section>
  );
}
