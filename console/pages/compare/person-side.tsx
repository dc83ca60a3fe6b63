// One side of a comparison: a person with state and risks, or why they cannot be shown.

import { firstText } from '../../model/document-value.ts';
import { documentAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import type { Load } from '../../ui/use-load.ts';
import { Avatar } from '../../ui/values/avatar.tsx';
import { Status } from '../../ui/values/status.tsx';
import { risksOf } from '../document/summary.ts';

export interface PersonSideProps {
  /** '' until a person is chosen. */
  readonly id: string;
  readonly load: Pick<Load<unknown>, 'fault' | 'reload'>;
  readonly person: { readonly document: Document } | null;
  readonly onChoose: () => void;
}

export function PersonSide({ id, load, person, onChoose }: PersonSideProps) {
  return (
    <div class="compare-person">
      {person !== null ? (
        <Card person={person.document} />
      ) : load.fault !== null ? (
        <FaultNotice fault={load.fault} reload={load.reload} />
      ) : id === '' ? (
        <p class="quiet">Nobody is chosen yet.</p>
      ) : (
        <Waiting lines={2} />
      )}
      <button type="button" class="button" onClick={onChoose}>
        {id === '' ? 'Choose a person' : 'Choose another'}
      </button>
    </div>
  );
}

function Card({ person }: { person: Document }) {
  const name = firstText(person, 'displayName', 'name', 'id');
  const state = firstText(person, 'attributes.cloudLifecycleState', 'status');
  return (
    <div class="compare-card">
      <Avatar name={name} size="large" />
      <div class="document-titles">
        <h2>
          <a href={documentAddress('identities', firstText(person, 'id'))}>{name}</a>
        </h2>
        <p class="quiet">{firstText(person, 'attributes.jobTitle', 'name')}</p>
        <div class="chips">
          {state !== '' && <Status word={state} />}
          {risksOf(person, Date.now()).map(({ text, tone }) => (
            <Status key={text} word={text} tone={tone} icon="alert" />
          ))}
        </div>
      </div>
    </div>
  );
}
