import { TableFrame, TableHead } from '../../../ui/table-frame.tsx';
import type { LineNote } from './imports-api.ts';

/**
 * A table of lines with what is to say of each; nothing without any.
 * @param more how many others there are
 */
export function LineNotes({
  label,
  notes,
  more = 0,
}: {
  label: string;
  notes: readonly LineNote[];
  more?: number;
}) {
  if (notes.length === 0) return null;
  return (
    <>
      <TableFrame label={label}>
        <TableHead labels={['Line', label]} numbers={['Line']} />
        <tbody>
          {notes.map(({ line, reason }, at) => (
            <tr key={at}>
              <td class="cell-number">{line.toLocaleString('en')}</td>
              <td class="import-reason" dir="auto">
                {reason}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {more > 0 && <p class="quiet">And {more.toLocaleString('en')} more.</p>}
    </>
  );
}
