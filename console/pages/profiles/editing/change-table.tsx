// Changed fields of a profile with their values before and after.

import type { FieldChange } from '../../../model/profiles/profile-draft.ts';
import { TableFrame, TableHead } from '../../../ui/table-frame.tsx';

export interface ChangeTableProps {
  readonly label: string;
  readonly changes: readonly FieldChange[];
  /** The heads of the columns of values. */
  readonly heads?: readonly [before: string, after: string];
}

export function ChangeTable({ label, changes, heads = ['Before', 'After'] }: ChangeTableProps) {
  return (
    <TableFrame label={label}>
      <TableHead labels={['Field', ...heads]} />
      <tbody>
        {changes.map(({ key, label: field, before, after }) => (
          <tr key={key}>
            <th scope="row">{field}</th>
            <td>{before || <span class="quiet">none</span>}</td>
            <td>{after || <span class="quiet">none</span>}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
