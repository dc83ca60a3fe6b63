// One row of the result table, with its tools: expand and explain.

import { firstText, valuesAt } from '../../../model/document-value.ts';
import type { QueryTerm } from '../../../model/query-terms.ts';
import type { Document } from '../../../model/wire.ts';
import { Icon } from '../../../ui/icon.tsx';
import { href } from '../../../ui/route.ts';
import { Avatar } from '../../../ui/values/avatar.tsx';
import { CellValue } from './cell-value.tsx';
import type { ColumnKind } from './column-tracks.ts';

export type Style = Readonly<Record<string, string>>;

export interface ResultRowProps {
  readonly at: number;
  readonly row: Document;
  readonly index: string;
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[];
  readonly terms: readonly QueryTerm[];
  readonly style: Style;
  readonly isActive: boolean;
  readonly isExpanded: boolean;
  readonly onChoose: () => void;
  readonly onExpand: () => void;
  readonly onExplain: () => void;
}

export function ResultRow(props: ResultRowProps) {
  const { at, row, index, columns, kinds, terms, style, isActive, isExpanded } = props;
  const [first = 'name', ...others] = columns;
  const id = String(row['id']);
  const title = firstText(row, first, 'displayName', 'name', 'id');
  const values = valuesAt(row, first);
  return (
    <div
      class="row"
      role="row"
      id={`row-${at}`}
      aria-rowindex={at + 2}
      aria-selected={isActive}
      style={style}
      onPointerDown={props.onChoose}
    >
      <span class={cellClass(kinds[0], 'cell-main')} role="gridcell">
        {index === 'identities' && <Avatar name={firstText(row, 'displayName', 'name')} />}
        <a href={href('document', index, id)} tabIndex={-1}>
          <CellValue field={first} values={values.length === 0 ? [title] : values} terms={terms} />
        </a>
      </span>
      {others.map((column, nth) => (
        <span class={cellClass(kinds[nth + 1], '')} role="gridcell" key={column}>
          <CellValue field={column} values={valuesAt(row, column)} terms={terms} />
        </span>
      ))}
      <span class="cell cell-tools" role="gridcell">
        <button
          type="button"
          class="row-why"
          tabIndex={-1}
          title="Explain why this matches (E)"
          aria-label={`Explain why ${title} matches`}
          onClick={props.onExplain}
        >
          Why
        </button>
        <button
          type="button"
          class="button-icon row-expand"
          tabIndex={-1}
          title={isExpanded ? 'Collapse (Space)' : 'Expand (Space)'}
          aria-label={`${isExpanded ? 'Collapse' : 'Expand'} ${title}`}
          aria-expanded={isExpanded}
          onClick={props.onExpand}
        >
          <Icon name="expand" size={16} />
        </button>
      </span>
    </div>
  );
}

function cellClass(kind: ColumnKind | undefined, more: string): string {
  return `cell ${kind === 'number' ? 'cell-number' : ''} ${more}`.trim();
}
