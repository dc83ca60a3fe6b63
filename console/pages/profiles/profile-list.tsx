// The list of profiles, with filters by a part of the name, type, status, and archived ones.
import { listProfiles } from '../../api/profiles-api.ts';
import { mainAttributes, type ProfileType, STATUSES } from '../../model/profiles/attributes.ts';
import { Icon } from '../../ui/icon.tsx';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { replace } from '../../ui/route.ts';
import { FilterSelect, WordsField } from '../../ui/table/filter-fields.tsx';
import {
  addressWith,
  changedParameters,
  type ParameterChanges,
} from '../../ui/table/list-state.ts';
import { attributeKey, profileColumns } from './results/profile-columns.tsx';
import { ProfileResults } from './results/profile-results.tsx';
import { useMayWrite } from './results/use-may-write.ts';
import { useProfileModel, useTypeAttributes } from './results/use-type-attributes.ts';

/** Parameters of the address that are filters of the service, under the same names. */
const FILTERS = ['name_contains', 'profile_type_id', 'status', 'archived'];

export function ProfileList({ parameters }: { parameters: URLSearchParams }) {
  const filters = new URLSearchParams(FILTERS.map((name) => [name, parameters.get(name) ?? '']));
  const typeId = parameters.get('profile_type_id') || null;
  const { model, fault, reload } = useProfileModel();
  const groups = useTypeAttributes(model, typeId);
  const change = (changes: ParameterChanges) =>
    replace(addressWith('/profiles', changedParameters(parameters, changes)));
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  const type = model?.types.find(({ id, uid }) => id === typeId || uid === typeId);
  const main = mainAttributes(type === undefined ? [] : (groups ?? [])).map(attributeKey);
  return (
    <>
      <Filters
        parameters={parameters}
        types={model?.types ?? []}
        typeId={type?.id ?? typeId}
        onChange={change}
      />
      {model === undefined || groups === undefined ? (
        <Waiting lines={8} />
      ) : (
        <ProfileResults
          sourceKey={String(filters)}
          source={(window, signal) => listProfiles(filters, window, signal)}
          parameters={parameters}
          isWhole={FILTERS.every((name) => !parameters.get(name))}
          onChange={change}
          columns={profileColumns(
            model.types,
            groups.flatMap(({ attributes }) => attributes),
          )}
          defaults={
            type === undefined
              ? ['name', 'type', 'status', 'uid', 'updated_at']
              : ['name', 'status', ...main, 'updated_at']
          }
          table={type === undefined ? 'profiles' : `profiles.${type.uid}`}
        />
      )}
    </>
  );
}

interface FiltersProps {
  readonly parameters: URLSearchParams;
  readonly types: readonly ProfileType[];
  readonly typeId: string | null;
  readonly onChange: (changes: ParameterChanges) => void;
}

function Filters({ parameters, types, typeId, onChange }: FiltersProps) {
  const mayWrite = useMayWrite();
  const newAddress =
    typeId === null ? '#/profiles/new' : `#/profiles/new?${new URLSearchParams({ type: typeId })}`;
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <WordsField
        label="Name contains"
        words={parameters.get('name_contains') ?? ''}
        onWords={(name_contains) => onChange({ name_contains })}
      />
      <FilterSelect
        label="Type"
        value={typeId ?? ''}
        choices={[['', 'All types'], ...types.map(({ id, name }) => [id, name] as const)]}
        // Columns and order may be attributes of the other type.
        onValue={(value) => onChange({ profile_type_id: value, columns: null, sort: null })}
      />
      <FilterSelect
        label="Status"
        value={parameters.get('status') ?? ''}
        choices={[['', 'Any status'], ...STATUSES.map((status) => [status, status] as const)]}
        onValue={(status) => onChange({ status })}
      />
      <FilterSelect
        label="Archived"
        value={parameters.get('archived') ?? ''}
        choices={[
          ['', 'Not archived'],
          ['true', 'Archived'],
        ]}
        onValue={(archived) => onChange({ archived })}
      />
      {mayWrite && (
        <a class="button button-main" href={newAddress}>
          <Icon name="plus" size={16} /> New profile
        </a>
      )}
    </form>
  );
}
