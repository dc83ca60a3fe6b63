// The first rows of a file as they would be imported.
import { memberColumns, memberText } from '../../../model/import-map.ts';
import { TableFrame, TableHead } from '../../../ui/table-frame.tsx';

/** Members that are shown; the others have no place on a screen. */
const COLUMNS_MAX = 40;
const CHARACTERS_MAX = 120;

/** @param isAll whether these are all rows of the file */
export function PreviewTable({
  rows,
  isAll,
}: {
  rows: readonly { readonly line: number; readonly record: object }[];
  isAll: boolean;
}) {
  const columns = memberColumns(rows.map(({ record }) => record));
  const shown = columns.slice(0, COLUMNS_MAX);
  return (
    <>
      <h3>
        {isAll ? 'As they will be imported' : `The first ${rows.length} as they will be imported`}
      </h3>
      <TableFrame label="Preview">
        <TableHead labels={['Line', ...shown]} numbers={['Line']} />
        <tbody>
          {rows.map(({ line, record }) => (
            <tr key={line}>
              <td class="cell-number">{line}</td>
              {shown.map((member) => (
                <td key={member} class="cell-name">
                  <bdi>{memberText(record, member).slice(0, CHARACTERS_MAX)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {columns.length > shown.length && (
        <p class="quiet">And {columns.length - shown.length} more members.</p>
      )}
    </>
  );
}
