// Shows a comparison of two people: tables of attributes, accounts and owned objects, and access in
// three columns.
import type { ComponentChildren } from 'preact';
import { firstText } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import { referenceAddress } from '../../model/reference.ts';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { Status } from '../../ui/values/status.tsx';
import { Fact } from '../document/facts.tsx';
import { accountStates } from '../document/summary.ts';
import { AccessColumns, type PathsOfBoth } from './access-columns.tsx';
import {
  type AccountRow,
  type AttributeRow,
  type Comparison,
  differencesOf,
  type OwnedRow,
} from './comparison.ts';
import type { Names } from './comparison-csv.ts';

export interface ComparisonViewProps {
  /** What is shown of `whole`. */
  readonly shown: Comparison;
  readonly whole: Comparison;
  readonly names: Names;
  readonly paths: PathsOfBoth;
}

export function ComparisonView({ shown, whole, names, paths }: ComparisonViewProps) {
  const differences = differencesOf(whole);
  const parts: readonly Part[] = [
    {
      ...{ name: 'access', title: 'Access', same: 'Both have the same access.' },
      content: (
        <AccessColumns rows={shown.access} whole={whole.access} names={names} paths={paths} />
      ),
    },
    {
      ...{ name: 'attributes', title: 'Attributes', same: 'All attributes are the same.' },
      content: <Attributes rows={shown.attributes} names={names} />,
    },
    {
      ...{ name: 'accounts', title: 'Accounts', same: 'Both have the same accounts and states.' },
      content: <Accounts rows={shown.accounts} names={names} />,
    },
    {
      ...{ name: 'owned', title: 'Owned objects', same: 'Both own the same.' },
      content: <Owned rows={shown.owned} names={names} />,
    },
  ];
  return (
    <>
      <nav class="chips" aria-label="Parts of the comparison">
        {parts.map(({ name, title }) => (
          <button
            type="button"
            class="chip"
            key={name}
            onClick={() => document.getElementById(`compare-${name}`)?.scrollIntoView()}
          >
            {title} <DifferenceCount count={differences[name].length} />
          </button>
        ))}
      </nav>
      {parts.map(({ name, title, same, content }) => (
        <section class="related" key={name} id={`compare-${name}`} aria-label={title}>
          <h2>
            {title}{' '}
            <span class="quiet">
              <DifferenceCount count={differences[name].length} />
            </span>
          </h2>
          {shown[name].length > 0 ? (
            content
          ) : (
            <p class="quiet">{whole[name].length === 0 ? 'Neither has any.' : same}</p>
          )}
        </section>
      ))}
    </>
  );
}

interface Part {
  readonly name: keyof Comparison;
  readonly title: string;
  /** Shown in place of the content if there is no difference. */
  readonly same: string;
  readonly content: ComponentChildren;
}

function DifferenceCount({ count }: { count: number }) {
  return (
    <span>{count === 0 ? 'same' : `${count} ${count === 1 ? 'difference' : 'differences'}`}</span>
  );
}

function Attributes({ rows, names }: { rows: readonly AttributeRow[]; names: Names }) {
  return (
    <TableFrame label="Attributes">
      <Head first="Attribute" names={names} />
      <tbody>
        {rows.map(({ name, label, first, second, differs }) => (
          <tr key={name} data-differs={differs}>
            <th scope="row">
              {label}
              {differs && <span class="unseen"> (differs)</span>}
            </th>
            {[first, second].map((value, at) => (
              <td key={at}>
                <Fact member={name} value={value} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function Accounts({ rows, names }: { rows: readonly AccountRow[]; names: Names }) {
  return (
    <TableFrame label="Accounts">
      <Head first="Source" names={names} />
      <tbody>
        {rows.map(({ source, first, second, differs }) => (
          <tr key={source} data-differs={differs}>
            <th scope="row">
              {source}
              {differs && <span class="unseen"> (differs)</span>}
            </th>
            {[first, second].map((accounts, at) => (
              <td key={at}>
                {accounts.length === 0 && <span class="quiet">–</span>}
                {accounts.map((account) => (
                  <div class="compare-account" key={firstText(account, 'id')}>
                    {firstText(account, 'name', 'accountId')}
                    {accountStates(account, Date.now()).map(({ text, tone }) => (
                      <Status key={text} word={text} tone={tone} />
                    ))}
                  </div>
                ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function Owned({ rows, names }: { rows: readonly OwnedRow[]; names: Names }) {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return (
    <TableFrame label="Owned objects">
      <Head first="Type" names={names} />
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind}>
            <th scope="row">{labelOf(kind)}</th>
            {(['first', 'second'] as const).map((side) => {
              const own = rows.filter(
                (row) => row.kind === kind && (row.presence === side || row.presence === 'both'),
              );
              return (
                <td key={side}>
                  {own.length === 0 && <span class="quiet">–</span>}
                  {own.map((row) => (
                    <div key={row.id}>
                      <OwnedName row={row} />
                    </div>
                  ))}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function OwnedName({ row: { kind, id, name } }: { row: OwnedRow }) {
  const address = referenceAddress(kind, { id });
  return address === null ? <span>{name}</span> : <a href={address}>{name}</a>;
}

function Head({ first, names }: { first: string; names: Names }) {
  return <TableHead labels={[first, names.first, names.second]} />;
}
