// Finds folders that the build put into `dist`, beside the compiled modules and beside the bundle, and those beside `dist`.
import { fileURLToPath } from 'node:url';

const DIST = '/dist/';

/**
 * The path of a folder, relative to `dist`.
 * @param name such as `documentation/` or `../docs/`
 */
export function builtFolder(name: string): string {
  const module = import.meta.url;
  const end = module.lastIndexOf(DIST);
  // Node runs the sources directly: the folders are in `dist` beside `src`.
  if (end === -1) return fileURLToPath(new URL(`../../../dist/${name}`, module));
  return fileURLToPath(new URL(name, module.slice(0, end + DIST.length)));
}
