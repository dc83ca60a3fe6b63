// What has to do with a document: the first finds of a search, which opens in full.
import type { IndexName } from '../../src/query/query.ts';
import { search } from '../api/search-api.ts';
import { firstText } from '../search/document-value.ts';
import { kindOf, labelOf } from '../search/kinds.ts';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { column, ElementTable, nameColumn } from './element-table.tsx';
import { documentAddress, searchAddress } from './reference.ts';

export interface RelatedProps {
  readonly title: string;
  readonly index: IndexName;
  readonly query: string;
}

const FEW = 15;

export function Related({ title, index, query }: RelatedProps) {
  const kind = kindOf(index);
  const body = {
    indices: [index],
    query: { query },
    sort: [kind.sort, 'id'],
    includeNested: false,
  };
  const { value, fault, again } = useLoad(JSON.stringify(body), (signal) =>
    search(body, { limit: FEW, count: 'exact' }, signal),
  );
  if (fault !== null) return <FaultNotice fault={fault} again={again} />;
  if (value === undefined) return <Waiting />;
  const [first = 'name', ...others] = kind.columns;
  const opening = {
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
        columns={[opening, ...others.map((path) => column(labelOf(path), path))]}
      />
      {value.total > 0 && (
        <p>
          <a href={searchAddress(index, query)}>
            {value.total > FEW ? `See all ${value.total.toLocaleString('en')}` : 'Open as a search'}
          </a>
        </p>
      )}
    </section>
  );
}
