// The pages of a served address that the start message names.
import type { Config } from '../../config/config.ts';

/** @param url the address without a slash at its end */
export function pageLines(
  { console, documentation }: Pick<Config, 'console' | 'documentation'>,
  url: string,
): string[] {
  return [
    ...(console ? [`Console: ${url}/console`] : []),
    ...(documentation ? [`Guide: ${url}/docs/guide`, `API documentation: ${url}/docs`] : []),
  ];
}
