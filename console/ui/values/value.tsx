// Shows a value of a document: shortens timestamps, writes booleans as Yes and No, and inserts
// everything else as plain text, never as markup. Long words break at separators.
import { Fragment } from 'preact';
import { instantText, isInstant, textOf } from '../../model/document-value.ts';
import { breakParts } from './break-parts.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

export function Value({ value }: { value: unknown }) {
  if (value === true || value === false) {
    return <span class={value ? 'yes' : 'no'}>{value ? 'Yes' : 'No'}</span>;
  }
  if (Array.isArray(value)) {
    return (
      <>
        {value.map((item, at) => (
          <span class="value-item" key={at}>
            <Value value={item} />
          </span>
        ))}
      </>
    );
  }
  const text = textOf(value);
  if (text === '') return <span class="quiet">–</span>;
  if (typeof value === 'string' && isInstant(value)) {
    return (
      <time dateTime={value} title={`${value} (UTC)`}>
        {instantText(value)}
      </time>
    );
  }
  if (DAY.test(text)) return <time dateTime={text}>{text}</time>;
  return (
    <>
      {breakParts(text).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
