// The whole document below its row: where the words of the query occur, and its members.

import type { IndexName } from '../../../../src/query/query.ts';
import { readDocument } from '../../../api/search-api.ts';
import { labelOf } from '../../../model/kinds.ts';
import type { QueryTerm } from '../../../model/query-terms.ts';
import type { Document } from '../../../model/wire.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { LoadNotice } from '../../../ui/notice.tsx';
import { href } from '../../../ui/route.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { Facts } from '../../document/facts.tsx';
import { Marked } from './cell-value.tsx';
import { occurrencesOf } from './occurrences.ts';
import type { Style } from './result-row.tsx';

export interface RowDetailProps {
  readonly index: IndexName;
  readonly id: string;
  readonly terms: readonly QueryTerm[];
  readonly style: Style;
  readonly onExplain: () => void;
}

const OCCURRENCES_MAX = 8;

export function RowDetail({ index, id, terms, style, onExplain }: RowDetailProps) {
  const { value, fault, reload } = useLoad(`${index} ${id}`, (signal) =>
    readDocument(index, id, signal),
  );
  return (
    <div class="row-detail" role="row" style={style}>
      <div class="row-detail-body" role="gridcell" tabIndex={0} onKeyDown={keepKeys}>
        <LoadNotice value={value} fault={fault} reload={reload} lines={4} />
        {value !== undefined && (
          <>
            <div class="buttons">
              <a class="button" href={href('document', index, id)}>
                <Icon name="cards" size={16} /> Open
              </a>
              <button type="button" class="button" onClick={onExplain}>
                <Icon name="explain" size={16} /> Explain
              </button>
              <CopyButton text={id} label="Copy ID" />
            </div>
            <Occurrences of={value} terms={terms} />
            <Members of={value} />
          </>
        )}
      </div>
    </div>
  );
}

/** Keys inside the detail are not those of the table; Escape leaves it. */
function keepKeys(event: KeyboardEvent): void {
  if (event.key !== 'Escape') event.stopPropagation();
}

function Occurrences({ of, terms }: { of: Document; terms: readonly QueryTerm[] }) {
  const occurrences = occurrencesOf(of, terms, OCCURRENCES_MAX);
  if (occurrences.length === 0) return null;
  return (
    <dl class="occurrences" aria-label="Words of the query">
      {occurrences.map(({ path, text }) => (
        <div key={`${path} ${text}`}>
          <dt title={path}>{path}</dt>
          <dd>
            <Marked text={text} field={path} terms={terms} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Members({ of }: { of: Document }) {
  const attributes = of['attributes'];
  const isObject = typeof attributes === 'object' && attributes !== null;
  const own = isObject ? (attributes as Document) : {};
  const shown = { ...own, ...of };
  const ids = Object.keys(shown).filter((name) => /^_|^(id|pod|org|type|synced|hash)$/.test(name));
  const arrays = Object.entries(of).filter(
    ([, value]) => Array.isArray(value) && value.some((item) => typeof item === 'object'),
  );
  return (
    <>
      <Facts of={shown} omit={['attributes', 'displayName', ...ids]} />
      {arrays.length > 0 && (
        <p class="quiet">
          {arrays
            .map(([name, value]) => `${labelOf(name)} ${(value as unknown[]).length}`)
            .join(' · ')}
        </p>
      )}
    </>
  );
}
