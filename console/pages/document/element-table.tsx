// The elements of an array as a table, with given columns or with those that the elements have.
import type { ComponentChildren } from 'preact';
import { firstText, valuesAt } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import { referenceAddress } from '../../model/reference.ts';
import { Empty } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { Fact, isFact } from './facts.tsx';

/** A column of an element table. */
export interface Column {
  readonly label: string;
  readonly cell: (element: unknown) => ComponentChildren;
  /** True if the elements have numbers there, which are aligned to the right. */
  readonly isNumber?: (elements: readonly unknown[]) => boolean;
}

export interface ElementTableProps {
  readonly label: string;
  readonly elements: readonly unknown[];
  readonly columns: readonly Column[];
}

export function ElementTable({ label, elements, columns }: ElementTableProps) {
  if (elements.length === 0) return <Empty icon="cards" title={`No ${label.toLowerCase()}`} />;
  const numbers = new Set(columns.filter(({ isNumber }) => isNumber?.(elements) ?? false));
  return (
    <TableFrame label={label}>
      <TableHead
        labels={columns.map((column) => column.label)}
        numbers={[...numbers].map((column) => column.label)}
      />
      <tbody>
        {elements.map((element, at) => (
          <tr key={at}>
            {columns.map((column) => (
              <td key={column.label} class={numbers.has(column) ? 'cell-number' : undefined}>
                {column.cell(element)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/** Creates a column with the value at a path. */
export function column(label: string, path: string): Column {
  const member = path.split('.').at(-1) ?? path;
  return {
    label,
    isNumber: (elements) => {
      const values = elements.flatMap((element) => valuesAt(element, path));
      return values.length > 0 && values.every((value) => typeof value === 'number');
    },
    cell: (element) => {
      const values = valuesAt(element, path);
      return <Fact member={member} value={values.length === 1 ? values[0] : values} />;
    },
  };
}

/** Creates a column with the names of elements, linked to their documents if they have one. */
export function nameColumn(label: string, member: string): Column {
  return {
    label,
    cell: (element) => {
      const address = referenceAddress(member, element);
      const name = firstText(element, 'displayName', 'name', 'id') || '–';
      return address === null ? <strong>{name}</strong> : <a href={address}>{name}</a>;
    },
  };
}

/** Derives columns from the elements: the name first, then up to seven other members. */
export function columnsFrom(member: string, elements: readonly unknown[]): Column[] {
  const names = new Set<string>();
  for (const element of elements) {
    if (typeof element !== 'object' || element === null) continue;
    for (const [name, value] of Object.entries(element)) if (isFact(value)) names.add(name);
  }
  const hasName = names.has('name') || names.has('displayName');
  const others = [...names].filter((name) => !['id', 'name', 'displayName'].includes(name));
  return [
    ...(hasName ? [nameColumn('Name', member)] : []),
    ...others.slice(0, 7).map((name) => column(labelOf(name), name)),
  ];
}
