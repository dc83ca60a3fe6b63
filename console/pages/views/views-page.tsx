// The pages of views, for administrators: the list, a new view, and one view.
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/administration.css';
import '../../style/views.css';
import { NewView } from './new-view.tsx';
import { ViewList } from './view-list.tsx';
import { ViewPage } from './view-page.tsx';

export function ViewsPage({ route }: PageProps) {
  const [, name] = route.path;
  if (name !== undefined) return <ViewPage name={name} key={name} />;
  // Not a name, which a view could have.
  if (route.parameters.has('new')) return <NewView />;
  return <ViewList />;
}
