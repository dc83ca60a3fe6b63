// Compares two people side by side. The address names both, so it can be shared. A person who is
// missing or may not be read is reported in place; the other one stays.
import { useMemo, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { readAccessPaths, readDocument } from '../../api/search-api.ts';
import { download } from '../../export/download.ts';
import { firstText } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/document.css';
import '../../style/compare.css';
import { compareAddress } from '../../model/compare-address.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/notice.tsx';
import { go, replace } from '../../ui/route.ts';
import { type Load, useLoad } from '../../ui/use-load.ts';
import { PersonDialog } from '../document/person-dialog.tsx';
import { compareIdentities, differencesOf } from './comparison.ts';
import { comparisonCsv, type Names } from './comparison-csv.ts';
import { ComparisonView } from './comparison-view.tsx';
import { PersonSide } from './person-side.tsx';
import type { PathsById } from './through-text.ts';

type Side = 'first' | 'second';

export function ComparePage({ route }: PageProps) {
  const [, firstId = '', secondId = ''] = route.path;
  const show = route.parameters.get('show') === 'differences' ? 'differences' : 'all';
  const [choosing, setChoosing] = useState<Side | null>(null);
  const first = usePerson(firstId);
  const second = usePerson(secondId);
  const [one, other] = [personIn(first, firstId), personIn(second, secondId)];
  const choose = (id: string) => {
    go(
      choosing === 'first' ? compareAddress(id, secondId, show) : compareAddress(firstId, id, show),
    );
    setChoosing(null);
  };
  return (
    <article class="document compare">
      <header class="compare-top">
        <h1>Compare people</h1>
        <div class="buttons">
          <button
            type="button"
            class="button"
            disabled={secondId === ''}
            onClick={() => replace(compareAddress(secondId, firstId, show))}
          >
            <Icon name="swap" size={16} /> Swap sides
          </button>
        </div>
      </header>
      <div class="compare-people">
        <PersonSide id={firstId} load={first} person={one} onChoose={() => setChoosing('first')} />
        <PersonSide
          id={secondId}
          load={second}
          person={other}
          onChoose={() => setChoosing('second')}
        />
      </div>
      <Body one={one} other={other} show={show} />
      {choosing !== null && (
        <PersonDialog
          title="Choose a person"
          other={(choosing === 'first' ? other : one)?.document ?? null}
          onPick={({ id }) => choose(id)}
          onClose={() => setChoosing(null)}
        />
      )}
    </article>
  );
}

interface Person {
  readonly document: Document;
  /** null if they could not be read. */
  readonly paths: PathsById | null;
  readonly pathsFault: ApiFault | null;
}

function usePerson(id: string): Load<Person> {
  return useLoad(id === '' ? null : id, async (signal) => {
    const document = await readDocument('identities', id, signal);
    try {
      return { document, paths: await readAccessPaths(id, signal), pathsFault: null };
    } catch (error) {
      // The comparison is useful without the paths, too; the page says that they are missing.
      return { document, paths: null, pathsFault: asFault(error) };
    }
  });
}

/** The loaded person, unless an earlier one is still shown. */
function personIn({ value, fault }: Load<Person>, id: string): Person | null {
  if (value === undefined || fault !== null) return null;
  return String(value.document['id']) === id ? value : null;
}

interface BodyProps {
  readonly one: Person | null;
  readonly other: Person | null;
  readonly show: 'all' | 'differences';
}

function Body({ one, other, show }: BodyProps) {
  const comparison = useMemo(
    () =>
      one === null || other === null
        ? null
        : compareIdentities(one.document, other.document, Date.now()),
    [one, other],
  );
  if (one === null || other === null || comparison === null) return null;
  const ids = [one, other].map(({ document }) => firstText(document, 'id'));
  const [firstId = '', secondId = ''] = ids;
  if (firstId === secondId)
    return (
      <Empty icon="people" title="Both sides are the same person">
        Choose another person on one side.
      </Empty>
    );
  const shown = show === 'differences' ? differencesOf(comparison) : comparison;
  const names = namesOf(one.document, other.document);
  const pathsFault = one.pathsFault ?? other.pathsFault;
  const exportCsv = () => {
    const csv = comparisonCsv(shown, names, Date.now());
    download(new Blob([csv], { type: 'text/csv;charset=utf-8' }), 'comparison.csv');
  };
  return (
    <>
      <div class="compare-tools">
        <label class="compare-only">
          <input
            type="checkbox"
            checked={show === 'differences'}
            onChange={({ currentTarget }) =>
              replace(
                compareAddress(firstId, secondId, currentTarget.checked ? 'differences' : 'all'),
              )
            }
          />
          Differences only
        </label>
        <button type="button" class="button" onClick={exportCsv}>
          <Icon name="download" size={16} /> Export CSV
        </button>
      </div>
      {pathsFault !== null && (
        <p class="quiet">How access was granted could not be loaded. {pathsFault.message}</p>
      )}
      <ComparisonView
        shown={shown}
        whole={comparison}
        names={names}
        paths={{ first: one.paths, second: other.paths }}
      />
    </>
  );
}

/** Names for the columns; with the user name if both are called the same. */
function namesOf(first: Document, second: Document): Names {
  const [one, other] = [first, second].map((person) =>
    firstText(person, 'displayName', 'name', 'id'),
  );
  if (one !== other) return { first: one ?? '', second: other ?? '' };
  const [own, others] = [first, second].map((person) => firstText(person, 'name', 'id'));
  return { first: `${one} (${own})`, second: `${other} (${others})` };
}
