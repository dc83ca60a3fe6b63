// The menu of the columns of search results: which fields are shown, in which order, and how wide.

import { labelOf } from '../../../model/kinds.ts';
import { columnsOf, defaultColumnsOf, type SearchState } from '../../../model/search-state.ts';
import {
  changeLayout,
  layoutName,
  layoutOf,
  layouts,
  setWidth,
  WIDTH_STEP_PX,
} from '../../../model/table-layout.ts';
import { Menu } from '../../../ui/menu.tsx';
import { ColumnList, type ColumnName, type ColumnTool } from '../../../ui/table/column-chooser.tsx';
import { useCell } from '../../../ui/use-cell.ts';
import { useFields, useShown } from '../query/use-fields.ts';

export interface ColumnsMenuProps {
  readonly state: SearchState;
  /** null: the default columns. */
  readonly onColumns: (columns: readonly string[] | null) => void;
}

const HIDDEN_MAX = 40;
/** The width from which a column without one is changed. */
const USUAL_WIDTH_PX = 160;

export function ColumnsMenu(props: ColumnsMenuProps) {
  return (
    <Menu icon="columns" label="Columns">
      {() => <FieldList {...props} />}
    </Menu>
  );
}

function FieldList({ state, onColumns }: ColumnsMenuProps) {
  const { index, rows } = state;
  const table = layoutName(index, rows);
  const { widths } = layoutOf(useCell(layouts), table);
  const columns = columnsOf(state);
  const shown = useShown(index).columns;
  const defaults = rows === null ? shown : defaultColumnsOf(state);
  const paths = useFields(index)
    // A row has one element, of one array.
    .filter(({ nested }) => rows === null || nested === null || nested === rows.path)
    .map(({ path }) => path);
  const choose = (next: readonly string[] | null) => {
    if (next === null) changeLayout(table, { widths: {} });
    const isDefault =
      next?.length === defaults.length && next.every((one, at) => one === defaults[at]);
    onColumns(isDefault ? null : next);
  };
  const widen = (path: string, px: number) => () =>
    setWidth(table, path, (widths[path] ?? USUAL_WIDTH_PX) + px);
  const toolsOf = ({ key, head }: ColumnName): readonly ColumnTool[] => [
    { label: `Narrow ${head}`, icon: 'minus', work: widen(key, -WIDTH_STEP_PX) },
    { label: `Widen ${head}`, icon: 'plus', work: widen(key, WIDTH_STEP_PX) },
  ];
  return (
    <ColumnList
      noun="field"
      all={[...new Set([...columns, ...paths])].map((path) => ({
        ...{ key: path, label: path, head: labelOf(path) },
      }))}
      shown={columns}
      onShown={choose}
      hiddenMax={HIDDEN_MAX}
      toolsOf={toolsOf}
    />
  );
}
