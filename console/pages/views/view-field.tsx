// The field of a form for a new credential that restricts it to a view. Administrators choose from
// the views of the tenant; others may not list them, and type a name that they were told.
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { listViews } from '../../api/views/views-api.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';

const NAME = 'view';

/** Nothing while the tenant has no views. */
export function ViewField() {
  const mayList = mayUser(useCell(session), 'admin');
  const { value } = useLoad(mayList ? 'views' : null, listViews);
  if (!mayList) {
    return (
      <label class="field">
        <span>View</span>
        <input
          name={NAME}
          placeholder="None"
          maxLength={64}
          autoComplete="off"
          spellcheck={false}
        />
      </label>
    );
  }
  if (value === undefined || value.length === 0) return null;
  return (
    <label class="field">
      <span>View</span>
      <select name={NAME}>
        <option value="">None: everything</option>
        {value.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The view that was chosen, as a member of a request; empty without one. */
export function viewIn(fields: FormData): { readonly view?: string } {
  const view = String(fields.get(NAME) ?? '').trim();
  return view === '' ? {} : { view };
}
