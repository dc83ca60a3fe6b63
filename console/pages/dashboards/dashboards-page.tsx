// The page of dashboards: the built-in one, those of users, and adding a tile from a search.

import { readSearch } from '../../model/search-state.ts';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/dashboards.css';
import { BuiltInPage } from './built-in-page.tsx';
import { AddTilePage } from './own/add-tile-page.tsx';
import { OwnPage } from './own/own-page.tsx';

export function DashboardsPage({ route }: PageProps) {
  const [, id] = route.path;
  if (id === undefined) return <BuiltInPage route={route} />;
  if (id === 'add') return <AddTilePage route={route} />;
  const { span } = readSearch('events', route.parameters);
  return <OwnPage id={id} span={span} isNew={route.parameters.has('new')} key={id} />;
}
