// The pages of auth users: the list for administrators, the finder for others, and one user.
import { session } from '../../api/session.ts';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/document.css';
import '../../style/table.css';
import '../../style/users.css';
import { useCell } from '../../ui/use-cell.ts';
import { UserFinder } from './user-finder.tsx';
import { UserList } from './user-list.tsx';
import { UserView } from './user-view.tsx';

export function UsersPage({ route }: PageProps) {
  const isAdmin = useCell(session)?.levels.includes('ORG_ADMIN') ?? false;
  const [, id] = route.path;
  if (id !== undefined) return <UserView id={id} key={id} />;
  if (isAdmin) return <UserList parameters={route.parameters} />;
  return <UserFinder words={route.parameters.get('q') ?? ''} />;
}
