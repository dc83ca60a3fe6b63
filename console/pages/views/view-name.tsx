// The view that restricts a credential or an auth user, in a table.
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { href } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';

/** @param view null: none */
export function ViewName({ view }: { view: string | null }) {
  const mayOpen = mayUser(useCell(session), 'admin');
  if (view === null) return <span class="quiet">–</span>;
  return mayOpen ? <a href={href('views', view)}>{view}</a> : <span>{view}</span>;
}
