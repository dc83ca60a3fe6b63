// The pages of auth users: the finder and one user.
import type { PageProps } from '../page-props.ts';
import '../style/document.css';
import '../style/users.css';
import { UserFinder } from './user-finder.tsx';
import { UserView } from './user-view.tsx';

export function UsersPage({ route }: PageProps) {
  const [, id] = route.path;
  return id === undefined ? (
    <UserFinder words={route.parameters.get('q') ?? ''} />
  ) : (
    <UserView id={id} key={id} />
  );
}
