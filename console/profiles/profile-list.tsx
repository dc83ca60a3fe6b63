// The list of profiles, with the filters and orders of the service.
import { listProfiles, type ProfileType, profileTypes } from '../api/profiles-api.ts';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { replace } from '../ui/route.ts';
import { useLoad } from '../ui/use-load.ts';
import { ProfileTable } from './profile-table.tsx';
import { STATUSES } from './rules.ts';

/** The orders other than the default one, which is by name. */
const ORDERS = [
  { value: 'status', label: 'Status' },
  { value: 'created_at', label: 'Created' },
  { value: 'updated_at', label: 'Updated' },
];
const FILTERS = ['profile_type_id', 'status', 'name', 'order'];

export function ProfileList({ parameters }: { parameters: URLSearchParams }) {
  const offset = Number(parameters.get('offset') ?? 0) || 0;
  const filters = new URLSearchParams(FILTERS.map((name) => [name, parameters.get(name) ?? '']));
  if (filters.get('order') === '') filters.set('order', 'name');
  const types = useLoad('types', profileTypes);
  const page = useLoad(`${filters} ${offset}`, (signal) => listProfiles(filters, offset, signal));
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(parameters);
    next.delete('offset');
    if (value === '') next.delete(name);
    else next.set(name, value);
    replace(`/profiles?${next}`);
  };
  return (
    <>
      <Filters parameters={parameters} types={types.value ?? []} onChange={change} />
      {page.fault !== null && <FaultNotice fault={page.fault} reload={page.reload} />}
      {page.value === undefined && page.fault === null && <Waiting lines={8} />}
      {page.value !== undefined && page.fault === null && (
        <ProfileTable
          page={page.value}
          types={types.value ?? []}
          offset={offset}
          onOffset={(next) => change('offset', next === 0 ? '' : String(next))}
        />
      )}
    </>
  );
}

interface FiltersProps {
  readonly parameters: URLSearchParams;
  readonly types: readonly ProfileType[];
  readonly onChange: (name: string, value: string) => void;
}

function Filters({ parameters, types, onChange }: FiltersProps) {
  const typeChoices = types.map(({ id, name }) => ({ value: id, label: name }));
  const statuses = STATUSES.map((status) => ({ value: status, label: status }));
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <FilterSelect
        name="profile_type_id"
        label="Type"
        choices={typeChoices}
        none="All types"
        parameters={parameters}
        onChange={onChange}
      />
      <FilterSelect
        name="status"
        label="Status"
        choices={statuses}
        none="Any status"
        parameters={parameters}
        onChange={onChange}
      />
      <label class="field">
        <span>Exact name</span>
        <input
          type="search"
          value={parameters.get('name') ?? ''}
          onChange={({ currentTarget }) => onChange('name', currentTarget.value.trim())}
        />
      </label>
      <FilterSelect
        name="order"
        label="Sort by"
        choices={ORDERS}
        none="Name"
        parameters={parameters}
        onChange={onChange}
      />
    </form>
  );
}

interface FilterSelectProps extends Omit<FiltersProps, 'types'> {
  readonly name: string;
  readonly label: string;
  readonly none: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

function FilterSelect({ name, label, none, choices, parameters, onChange }: FilterSelectProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={parameters.get(name) ?? ''}
        onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
      >
        <option value="">{none}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}
