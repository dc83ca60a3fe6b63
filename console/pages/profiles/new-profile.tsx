// The page of a new profile: its type, then the form.
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { go, replace } from '../../ui/route.ts';
import { ProfileForm } from './editing/profile-form.tsx';
import { useProfileModel, useTypeAttributes } from './results/use-type-attributes.ts';

/** @param typeId id or uid; null: none is chosen yet */
export function NewProfile({ typeId }: { typeId: string | null }) {
  const { model, fault, reload } = useProfileModel();
  const groups = useTypeAttributes(model, typeId);
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (model === undefined) return <Waiting lines={8} />;
  const type = model.types.find(({ id, uid }) => id === typeId || uid === typeId);
  return (
    <article class="document">
      <h1>New profile</h1>
      <label class="field new-profile-type">
        <span>Type</span>
        <select
          value={type?.id ?? ''}
          onChange={({ currentTarget }) =>
            replace(`/profiles/new?${new URLSearchParams({ type: currentTarget.value })}`)
          }
        >
          <option value="" disabled>
            Select a type
          </option>
          {model.types.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {type !== undefined && groups === undefined && <Waiting lines={8} />}
      {type !== undefined && groups !== undefined && (
        <ProfileForm
          key={type.id}
          profile={null}
          type={type}
          groups={groups}
          attributes={model.attributes}
          onSaved={() => {}}
          onCancel={() => go('/profiles')}
          onReload={() => {}}
        />
      )}
    </article>
  );
}
