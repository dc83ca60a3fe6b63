// The props of every page.
import type { Route } from './route.ts';

export interface PageProps {
  readonly route: Route;
}
