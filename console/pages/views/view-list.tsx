// The list of views.
import type { View } from '../../api/views/view.ts';
import { listViews } from '../../api/views/views-api.ts';
import { instantText } from '../../model/document-value.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, LoadNotice } from '../../ui/notice.tsx';
import { href } from '../../ui/route.ts';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { summaryOf } from './draft.ts';

export function ViewList() {
  const { value, fault, reload } = useLoad('views', listViews);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Views</h1>
        <a class="button button-main" href="#/views?new">
          <Icon name="plus" size={16} /> New view
        </a>
      </header>
      <p class="quiet">
        A view is a part of the tenant: some documents, without some fields. For auth users, tokens
        and clients that are restricted to it, nothing else exists.
      </p>
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value?.length === 0 && (
        <Empty icon="view" title="No views yet">
          Create one for a team, a contractor, an assistant or a test environment.
        </Empty>
      )}
      {value !== undefined && value.length > 0 && <ViewTable views={value} />}
    </div>
  );
}

function ViewTable({ views }: { views: readonly View[] }) {
  return (
    <TableFrame label="Views">
      <TableHead labels={['Name', 'Description', 'Shows', 'Hides', 'Changed']} />
      <tbody>
        {views.map((view) => (
          <tr key={view.name}>
            <td class="cell-name">
              <a href={href('views', view.name)}>{view.name}</a>
            </td>
            <td>{view.description || <span class="quiet">–</span>}</td>
            <td>{summaryOf(view)}</td>
            <td>{view.hide.length === 0 ? <span class="quiet">–</span> : view.hide.join(', ')}</td>
            <td class="moment">{instantText(view.modified)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
