// One profile: shows it, or its form. What was saved last is confirmed above it.
import { useState } from 'preact/hooks';
import { type Profile, readProfile } from '../../api/profiles-api.ts';
import type { FieldChange } from '../../model/profiles/profile-draft.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { go, href } from '../../ui/route.ts';
import { useLoad } from '../../ui/use-load.ts';
import { ChangeTable } from './editing/change-table.tsx';
import { ProfileForm } from './editing/profile-form.tsx';
import { ProfileView } from './profile-view.tsx';
import {
  type ProfileModel,
  useProfileModel,
  useTypeAttributes,
} from './results/use-type-attributes.ts';

export interface ProfilePageProps {
  readonly id: string;
  readonly isEditing: boolean;
  readonly onDeleted: (name: string) => void;
}

/** What was done last. */
interface Done {
  readonly title: string;
  readonly changes: readonly FieldChange[];
}

export function ProfilePage({ id, isEditing, onDeleted }: ProfilePageProps) {
  const [done, setDone] = useState<Done | null>(null);
  const { value, fault, loading, reload } = useLoad(id, (signal) => readProfile(id, signal));
  const { model, fault: modelFault, reload: reloadModel } = useProfileModel();
  if (fault?.kind === 'missing')
    return (
      <Empty icon="cards" title="Profile not found">
        It may have been deleted, or the link may be incomplete.{' '}
        <a href="#/profiles">Show all profiles</a>
      </Empty>
    );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (modelFault !== null) return <FaultNotice fault={modelFault} reload={reloadModel} />;
  // A form of values before a save would be replaced while somebody types.
  const isOld = isEditing && loading;
  if (value === undefined || model === undefined || isOld) return <Waiting lines={8} />;
  const finish = (next: Done | null) => {
    setDone(next);
    reload();
  };
  return (
    <article class="document">
      {done !== null && !isEditing && <DoneNotice done={done} />}
      <Loaded
        profile={value}
        model={model}
        isEditing={isEditing}
        onDone={finish}
        onReload={reload}
        onDeleted={() => onDeleted(value.name || value.uid)}
      />
    </article>
  );
}

interface LoadedProps {
  readonly profile: Profile;
  readonly model: ProfileModel;
  readonly isEditing: boolean;
  readonly onDone: (done: Done | null) => void;
  readonly onReload: () => void;
  readonly onDeleted: () => void;
}

function Loaded({ profile, model, isEditing, onDone, onReload, onDeleted }: LoadedProps) {
  const own = Object.keys(profile.attributes ?? {});
  const groups = useTypeAttributes(model, profile.profile_type_id, own);
  const type = model.types.find(({ id }) => id === profile.profile_type_id);
  if (groups === undefined) return <Waiting lines={8} />;
  if (isEditing)
    return (
      <ProfileForm
        key={profile.updated_at}
        profile={profile}
        type={type}
        groups={groups}
        attributes={model.attributes}
        onSaved={(changes) => onDone({ title: 'Saved', changes })}
        onCancel={() => {
          onDone(null);
          go(href('profiles', 'of', profile.id));
        }}
        onReload={onReload}
      />
    );
  return (
    <ProfileView
      profile={profile}
      typeName={type?.name ?? 'Profile'}
      groups={groups}
      onChanged={(title) => onDone({ title, changes: [] })}
      onDeleted={onDeleted}
    />
  );
}

function DoneNotice({ done: { title, changes } }: { done: Done }) {
  return (
    <div class="notice notice-good" role="status">
      <Icon name="done" />
      <div class="notice-body">
        <p class="notice-title">{title}</p>
        {changes.length > 0 && <ChangeTable label="Saved changes" changes={changes} />}
      </div>
    </div>
  );
}
