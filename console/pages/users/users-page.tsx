// The pages of auth users: the list for administrators, the finder for others, a new user, and one user.
import { session } from '../../api/session.ts';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/administration.css';
import '../../style/document.css';
import '../../style/table.css';
import '../../style/users.css';
import { useCell } from '../../ui/use-cell.ts';
import { NewUser } from './new-user.tsx';
import { UserFinder } from './user-finder.tsx';
import { UserList } from './user-list.tsx';
import { UserView } from './user-view.tsx';

export function UsersPage({ route }: PageProps) {
  const isAdmin = useCell(session)?.levels.includes('ORG_ADMIN') ?? false;
  const [, id] = route.path;
  // Not an id, which a user could have.
  if (isAdmin && route.parameters.has('new')) return <NewUser />;
  if (id !== undefined) return <UserView id={id} key={id} />;
  if (isAdmin) return <UserList parameters={route.parameters} />;
  return <UserFinder words={route.parameters.get('q') ?? ''} />;
}
