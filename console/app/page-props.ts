// The props of every page.
import type { Route } from '../ui/route.ts';

export interface PageProps {
  readonly route: Route;
}
