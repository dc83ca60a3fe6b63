// The page of one profile: its values by meaning, with references as links, and what may be done
// with it.
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { changeProfile, deleteProfile, type Profile } from '../../api/profiles-api.ts';
import { printValue } from '../../model/completion.ts';
import {
  type AttributeGroup,
  type ProfileAttribute,
  valueKindOf,
} from '../../model/profiles/attributes.ts';
import { searchAddress } from '../../model/reference.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FaultNotice } from '../../ui/notice.tsx';
import { go, href, whileHere } from '../../ui/route.ts';
import { Avatar } from '../../ui/values/avatar.tsx';
import { Status } from '../../ui/values/status.tsx';
import { Value } from '../../ui/values/value.tsx';
import { ReferenceLink } from './reference-link.tsx';
import { attributeText } from './results/profile-columns.tsx';
import { useMayWrite } from './results/use-may-write.ts';

export interface ProfileViewProps {
  readonly profile: Profile;
  readonly typeName: string;
  readonly groups: readonly AttributeGroup[];
  /** Called after the profile was archived or restored, with what was done. */
  readonly onChanged: (title: string) => void;
  readonly onDeleted: () => void;
}

export function ProfileView({ profile, typeName, groups, onChanged, onDeleted }: ProfileViewProps) {
  const mayWrite = useMayWrite();
  const events = searchAddress('events', `attributes.targetId:${printValue(profile.id)}`);
  return (
    <>
      <header class="document-head document-head-card">
        <Avatar name={profile.name} size="large" />
        <div class="document-titles">
          <p class="quiet">{typeName}</p>
          <h1>{profile.name || profile.uid}</h1>
          <div class="chips">
            <Status word={profile.status} />
            {profile.archived && <Status word="Archived" />}
          </div>
        </div>
        <div class="buttons">
          <button type="button" class="button" onClick={() => history.back()}>
            <Icon name="back" size={16} /> Back
          </button>
          {mayWrite && (
            <a class="button button-main" href={href('profiles', 'of', profile.id, 'edit')}>
              Edit
            </a>
          )}
          {mayWrite && (
            <ProfileActions profile={profile} onChanged={onChanged} onDeleted={onDeleted} />
          )}
        </div>
      </header>
      <div class="document-body">
        {groups.map(({ title, attributes }) => (
          <section key={title} class="related" aria-label={title}>
            <h2>{title}</h2>
            <dl class="facts profile-facts">
              {attributes.map((attribute) => (
                <div key={attribute.id}>
                  <dt>{attribute.label}</dt>
                  <dd>
                    <AttributeValue attribute={attribute} profile={profile} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <details class="identifiers">
          <summary>Identifiers and times</summary>
          <dl class="facts">
            {[
              { label: 'ID', value: profile.id },
              { label: 'UID', value: profile.uid },
              { label: 'Created', value: profile.created_at },
              { label: 'Updated', value: profile.updated_at },
            ].map(({ label, value }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <Value value={value} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
        <div class="buttons">
          <CopyButton text={profile.id} label="Copy ID" />
          <a class="button" href={events}>
            <Icon name="clock" size={16} /> Events of this profile
          </a>
        </div>
      </div>
    </>
  );
}

function AttributeValue({ attribute, profile }: { attribute: ProfileAttribute; profile: Profile }) {
  const kind = valueKindOf(attribute.type);
  const references = profile.references?.[attribute.uid] ?? [];
  if ((kind === 'user' || kind === 'profile') && references.length > 0)
    return (
      <>
        {references.map((reference) => (
          <span class="value-item" key={reference.id}>
            <ReferenceLink reference={reference} />
          </span>
        ))}
      </>
    );
  return <Value value={attributeText(attribute, profile)} />;
}

interface ProfileActionsProps {
  readonly profile: Profile;
  readonly onChanged: (title: string) => void;
  readonly onDeleted: () => void;
}

function ProfileActions({ profile, onChanged, onDeleted }: ProfileActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const attempt = async (work: () => Promise<void>) => {
    setFault(null);
    try {
      await work();
    } catch (error) {
      setFault(asFault(error));
    }
  };
  const archive = async () => {
    const finish = whileHere(onChanged);
    await changeProfile(profile.id, { archived: !profile.archived });
    finish(profile.archived ? 'Restored' : 'Archived: lists and searches leave it out');
  };
  const remove = async () => {
    const goOn = whileHere(go);
    await deleteProfile(profile.id);
    onDeleted();
    goOn('/profiles');
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void attempt(archive)}>
        {profile.archived ? 'Restore' : 'Archive'}
      </button>
      <button type="button" class="button link-danger" onClick={() => setAsking(true)}>
        <Icon name="trash" size={16} /> Delete
      </button>
      {isAsking && (
        <Confirm
          title={`Delete ${profile.name || profile.uid}?`}
          sentence="Its values, links and risk scores are deleted, and values of other profiles no longer refer to it. This cannot be undone."
          onConfirm={() => void attempt(remove)}
          onClose={() => setAsking(false)}
        />
      )}
      {fault !== null && <FaultNotice fault={fault} />}
    </>
  );
}
