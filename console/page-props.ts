// What every page of the console is given.
import type { Route } from './ui/route.ts';

export interface PageProps {
  readonly route: Route;
}
