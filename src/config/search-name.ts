// What a search is called where its address is told.
import type { Config } from './config.ts';

/** `embedded`, or the address of the OpenSearch without its credentials. */
export function searchName({ searchUrl }: Pick<Config, 'searchUrl'>): string {
  if (searchUrl === null) return 'embedded';
  const url = new URL(searchUrl);
  url.username = '';
  url.password = '';
  return url.href;
}
