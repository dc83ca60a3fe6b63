// The page of one profile, with its values under the labels of their attributes.
import { type Profile, profileAttributes, profileTypes, readProfile } from '../api/profiles-api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { Status } from '../ui/status.tsx';
import { useLoad } from '../ui/use-load.ts';
import { Value } from '../ui/value.tsx';

export function ProfileView({ id }: { id: string }) {
  const { value, fault, reload } = useLoad(id, (signal) => readProfile(id, signal));
  const types = useLoad('types', profileTypes);
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={8} />;
  const type = types.value?.find((one) => one.id === value.profile_type_id);
  return (
    <article class="document">
      <header class="document-head">
        <p class="quiet">{type?.name ?? 'Profile'}</p>
        <h1>{value.name || value.uid}</h1>
        <div class="chips">
          <Status word={value.status} />
          {value.archived && <Status word="Archived" />}
        </div>
        <div class="buttons">
          <button type="button" class="button" onClick={() => history.back()}>
            <Icon name="back" size={16} /> Back
          </button>
          <CopyButton text={value.id} label="Copy ID" />
        </div>
      </header>
      <div class="document-body">
        <Attributes profile={value} />
        <h2>Details</h2>
        <dl class="facts">
          <Fact label="UID" value={value.uid} />
          <Fact label="ID" value={value.id} />
          <Fact label="Created" value={value.created_at} />
          <Fact label="Updated" value={value.updated_at} />
        </dl>
      </div>
    </article>
  );
}

function Attributes({ profile }: { profile: Profile }) {
  const { value } = useLoad('attributes', profileAttributes);
  const labels = new Map((value ?? []).map(({ uid, label }) => [uid, label]));
  const entries = Object.entries(profile.attributes ?? {});
  if (entries.length === 0) return <p class="quiet">No attributes</p>;
  return (
    <dl class="facts">
      {entries.map(([uid, text]) => (
        <Fact key={uid} label={labels.get(uid) ?? uid} value={text} />
      ))}
    </dl>
  );
}

function Fact({ label, value }: { label: string; value: unknown }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Value value={value} />
      </dd>
    </div>
  );
}
