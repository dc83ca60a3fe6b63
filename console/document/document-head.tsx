// The head of a document's page: a card that leads with what matters, by type. Ids are below, in a
// part that is folded.
import type { ComponentChildren } from 'preact';
import type { IndexName } from '../../src/query/query.ts';
import type { Document } from '../api/wire.ts';
import { firstText, valuesAt } from '../search/document-value.ts';
import { labelOf } from '../search/kinds.ts';
import { Avatar } from '../ui/avatar.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Status } from '../ui/status.tsx';
import { Fact } from './facts.tsx';
import { distanceText, isOpen, type Remark, risksOf } from './summary.ts';

export interface DocumentHeadProps {
  readonly index: IndexName;
  /** The type in words. */
  readonly what: string;
  readonly document: Document;
}

/** The paths of the card by type, the most important first. */
const CARD: Readonly<Record<IndexName, readonly string[]>> = {
  identities: [
    ...['manager', 'attributes.department', 'attributes.location', 'attributes.employeeType'],
    ...['attributes.startDate', 'attributes.endDate', 'accounts', 'accessCount', 'email'],
  ],
  roles: ['owner', 'accessProfileCount', 'entitlementCount', 'modified'],
  accessprofiles: ['source', 'owner', 'entitlementCount', 'modified'],
  entitlements: ['source', 'owner', 'attribute', 'value', 'modified'],
  events: ['created', 'actor', 'target', 'operation', 'type', 'ipAddress'],
  accountactivities: ['created', 'requester', 'recipient', 'sources', 'stage', 'modified'],
};
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
  const title = firstText(document, 'displayName', 'name', 'action', 'id');
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
          {index === 'identities' && (
            <a class="button" href={`#/users/${encodeURIComponent(id)}`}>
              <Icon name="shield" size={16} /> Capabilities
            </a>
          )}
        </div>
      </div>
      <dl class="card-facts">
        {CARD[index]
          .filter((path) => valuesAt(document, path).length > 0)
          .map((path) => (
            <div key={path} class={path === 'email' ? 'card-email' : undefined}>
              <dt>{labelOf(path)}</dt>
              <dd>
                <CardFact path={path} document={document} />
              </dd>
            </div>
          ))}
      </dl>
    </header>
  );
}

function CardFact({ path, document }: { path: string; document: Document }): ComponentChildren {
  const values = valuesAt(document, path);
  const [value] = values;
  if (path === 'accounts') return `${values.filter(isOpen).length} open of ${values.length}`;
  const member = path.split('.').at(-1) ?? path;
  const distance =
    WITH_DISTANCE.has(path) && typeof value === 'string' ? distanceText(value, Date.now()) : '';
  return (
    <>
      <span class={distance === '' ? undefined : 'card-date'}>
        <Fact member={member} value={value} />
      </span>
      {distance !== '' && <span class="quiet"> · {distance}</span>}
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
