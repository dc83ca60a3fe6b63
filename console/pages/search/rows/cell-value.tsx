// A value in the result table: a status as a pill, a text with the words of the query marked.

import { isInstant } from '../../../model/document-value.ts';
import type { QueryTerm } from '../../../model/query-terms.ts';
import { Status } from '../../../ui/values/status.tsx';
import { isStatusField } from '../../../ui/values/status-tone.ts';
import { Value } from '../../../ui/values/value.tsx';
import { partsOf } from './matches.ts';

export interface CellValueProps {
  readonly field: string;
  readonly values: readonly unknown[];
  readonly terms: readonly QueryTerm[];
}

export function CellValue({ field, values, terms }: CellValueProps) {
  if (values.length === 0) return <span class="quiet">–</span>;
  return (
    <>
      {values.map((value, at) => (
        <span class="value-item" key={at}>
          <OneValue field={field} value={value} terms={terms} />
        </span>
      ))}
    </>
  );
}

function OneValue({
  field,
  value,
  terms,
}: {
  field: string;
  value: unknown;
  terms: readonly QueryTerm[];
}) {
  if (typeof value !== 'string' || isInstant(value)) return <Value value={value} />;
  if (isStatusField(field) && value !== '') return <Status word={value} />;
  return <Marked text={value} field={field} terms={terms} />;
}

/** A text with the words of a query marked. */
export function Marked({
  text,
  field,
  terms,
}: {
  text: string;
  field: string;
  terms: readonly QueryTerm[];
}) {
  return (
    <>
      {partsOf(text, field, terms).map((part, at) =>
        part.isMatch ? (
          <mark class="hit" key={at}>
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
