// The head of a document's page: a card that leads with what matters, by type. Ids are below, in a
// part that is folded.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { IndexName } from '../../../src/query/query.ts';
import { isRestricted } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { compareAddress } from '../../model/compare-address.ts';
import { firstText, valuesAt } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import { documentAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { go } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';
import { Avatar } from '../../ui/values/avatar.tsx';
import { Status } from '../../ui/values/status.tsx';
import { cardPaths, listText, titleOf, WIDE_FACTS } from './card.ts';
import { Fact } from './facts.tsx';
import { PersonDialog } from './person-dialog.tsx';
import { distanceText, type Remark, risksOf } from './summary.ts';

export interface DocumentHeadProps {
  readonly index: IndexName;
  /** The type in words. */
  readonly what: string;
  readonly document: Document;
}

const ICONS: Readonly<Record<IndexName, IconName>> = {
  identities: 'people',
  roles: 'cards',
  accessprofiles: 'cards',
  entitlements: 'key',
  events: 'clock',
  accountactivities: 'clock',
};
/** Dates whose distance from today matters. */
const WITH_DISTANCE = new Set(['attributes.startDate', 'attributes.endDate']);

export function DocumentHead({ index, what, document }: DocumentHeadProps) {
  const id = firstText(document, 'id');
  const title = titleOf(document);
  const current = useCell(session);
  const isRestrictedNow = current !== null && isRestricted(current);
  return (
    <header class="document-card">
      <div class="document-head document-head-card">
        {index === 'identities' ? (
          <Avatar name={title} size="large" />
        ) : (
          <span class="document-icon">
            <Icon name={ICONS[index]} size={26} />
          </span>
        )}
        <div class="document-titles">
          <p class="quiet">{what}</p>
          <h1>{title}</h1>
          <p class="document-sub">
            {firstText(document, 'attributes.jobTitle', 'description', 'technicalName')}
          </p>
          <div class="chips">
            <States index={index} document={document} />
          </div>
        </div>
        <div class="buttons">
          <button type="button" class="button" onClick={() => history.back()}>
            <Icon name="back" size={16} /> Back
          </button>
          <CopyButton text={id} label="Copy ID" />
          {index === 'identities' && <CompareButton person={document} name={title} />}
          {index === 'identities' && !isRestrictedNow && (
            <a class="button" href={`#/users/${encodeURIComponent(id)}`}>
              <Icon name="shield" size={16} /> Capabilities
            </a>
          )}
        </div>
      </div>
      <dl class="card-facts">
        {cardPaths(index, document).map((path) => (
          <div key={path} class={WIDE_FACTS.has(path) ? 'card-wide' : undefined}>
            <dt>{labelOf(path)}</dt>
            <dd>
              <CardFact path={path} index={index} document={document} />
            </dd>
          </div>
        ))}
      </dl>
    </header>
  );
}

function CompareButton({ person, name }: { person: Document; name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="people" size={16} /> Compare with…
      </button>
      {isOpen && (
        <PersonDialog
          title={`Compare ${name} with`}
          other={person}
          onPick={(picked) => go(compareAddress(firstText(person, 'id'), picked.id))}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface CardFactProps {
  readonly path: string;
  readonly index: IndexName;
  readonly document: Document;
}

function CardFact({ path, index, document }: CardFactProps): ComponentChildren {
  const list = listText(document, path);
  if (list !== null && valuesAt(document, path).length === 0) return list;
  if (list !== null)
    return <a href={`${documentAddress(index, firstText(document, 'id'))}?tab=${path}`}>{list}</a>;
  const [value] = valuesAt(document, path);
  const member = path.split('.').at(-1) ?? path;
  const distance =
    WITH_DISTANCE.has(path) && typeof value === 'string' ? distanceText(value, Date.now()) : '';
  return (
    <>
      <span class={distance === '' ? undefined : 'card-date'}>
        <Fact member={member} value={value} />
      </span>
      {distance !== '' && <span class="quiet"> {distance}</span>}
    </>
  );
}

const FLAGS: readonly (readonly [member: string, tone: Remark['tone']])[] = [
  ['disabled', 'warn'],
  ['locked', 'bad'],
  ['privileged', 'warn'],
  ['protected', 'info'],
  ['isManager', 'plain'],
  ['requestable', 'plain'],
];

/** The state, then the risks and flags. */
function States({ index, document }: { index: IndexName; document: Document }) {
  const state = firstText(document, 'attributes.cloudLifecycleState', 'status');
  const enabled = valuesAt(document, 'enabled')[0];
  const risks = index === 'identities' ? risksOf(document, Date.now()) : [];
  const isSaid = (word: string) => state.toLowerCase() === word.toLowerCase();
  return (
    <>
      {state !== '' && <Status word={state} />}
      {enabled === true && <Status word="Enabled" />}
      {enabled === false && <Status word="Disabled" />}
      {risks.map(({ text, tone }) => (
        <Status key={text} word={text} tone={tone} icon="alert" />
      ))}
      {FLAGS.filter(([member]) => document[member] === true && !isSaid(member)).map(
        ([member, tone]) => (
          <Status key={member} word={labelOf(member)} tone={tone} />
        ),
      )}
    </>
  );
}
