// The filters of the list of auth users: words, capabilities, whether the user is enabled, and views.
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { listViews } from '../../api/views/views-api.ts';
import { capabilityRows, titleOf } from '../../model/capability-change.ts';
import { Icon } from '../../ui/icon.tsx';
import { href } from '../../ui/route.ts';
import { FilterSelect, WordsField } from '../../ui/table/filter-fields.tsx';
import type { ParameterChanges } from '../../ui/table/list-state.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { ANY, NONE, type UserQuery } from './user-query.ts';

export interface UserFiltersProps {
  readonly query: UserQuery;
  readonly onChange: (changes: ParameterChanges) => void;
}

export function UserFilters({ query, onChange }: UserFiltersProps) {
  const { capabilities, match, state, view } = query;
  const user = useCell(session);
  const own = user?.identityId ?? null;
  const views = useLoad(mayUser(user, 'admin') ? 'views' : null, listViews).value ?? [];
  // That of the address may have been deleted.
  const names = [...new Set([...views.map(({ name }) => name), view])].filter(
    (name) => name !== '' && name !== ANY,
  );
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <WordsField
        label="Name, UID, email or ID"
        words={query.words}
        onWords={(q) => onChange({ q })}
      />
      <CapabilityField
        chosen={capabilities}
        onAdd={(name) => onChange({ capability: withCapability(capabilities, name) })}
      />
      <FilterSelect
        label="State"
        value={state}
        choices={[
          ['', 'Any state'],
          ['enabled', 'Enabled'],
          ['disabled', 'Disabled'],
        ]}
        onValue={(next) => onChange({ state: next })}
      />
      {names.length > 0 && (
        <FilterSelect
          label="View"
          value={view}
          choices={[
            ['', 'Any or none'],
            [ANY, 'Has a view'],
            ...names.map((name) => [name, name] as const),
          ]}
          onValue={(next) => onChange({ view: next })}
        />
      )}
      {own !== null && (
        <a class="button" href={href('users', own)}>
          <Icon name="shield" size={16} /> Your account
        </a>
      )}
      {capabilities.length > 0 && (
        <div class="chosen-capabilities">
          {capabilities.length > 1 && (
            <select
              aria-label="Users who have"
              value={match}
              onChange={({ currentTarget }) =>
                onChange({ match: currentTarget.value === 'any' ? 'any' : null })
              }
            >
              <option value="all">All of</option>
              <option value="any">Any of</option>
            </select>
          )}
          {capabilities.map((name) => (
            <button
              type="button"
              key={name}
              class="chip"
              aria-label={`Remove the filter ${filterTitle(name)}`}
              onClick={() =>
                onChange({ capability: capabilities.filter((other) => other !== name) })
              }
            >
              {filterTitle(name)} <Icon name="close" size={12} />
            </button>
          ))}
        </div>
      )}
    </form>
  );
}

/** The chosen capabilities after one more; having any or none excludes the others. */
function withCapability(chosen: readonly string[], name: string): readonly string[] {
  if (name === '') return [];
  if (name === ANY || name === NONE) return [name];
  return [...chosen.filter((one) => one !== ANY && one !== NONE), name];
}

function filterTitle(name: string): string {
  if (name === ANY) return 'Any capability';
  return name === NONE ? 'No capability' : titleOf(name);
}

interface CapabilityFieldProps {
  readonly chosen: readonly string[];
  readonly onAdd: (name: string) => void;
}

function CapabilityField({ chosen, onAdd }: CapabilityFieldProps) {
  const others = capabilityRows([]).filter(({ name }) => !chosen.includes(name));
  return (
    <label class="field">
      <span>Capability</span>
      <select
        value=""
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          currentTarget.value = '';
          onAdd(value);
        }}
      >
        <option value="">{chosen.length === 0 ? 'Any or none' : 'Add another one'}</option>
        <option value={ANY}>Has any capability</option>
        <option value={NONE}>Has none</option>
        <optgroup label="Has">
          {others.map(({ name, title }) => (
            <option key={name} value={name}>
              {title === name ? name : `${title} (${name})`}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}
