// The web console at /console, built by Vite.
import type { FastifyInstance } from 'fastify';
import { builtFolder } from './built-folder.ts';
import { StaticFiles } from './static-files.ts';

/** Nothing inline, nothing from other hosts, and no way to turn a text into a script or markup. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Serves the console. @returns false where it has not been built */
export function registerConsole(app: FastifyInstance): boolean {
  const folder = builtFolder('console/public/');
  const files = StaticFiles.open({ folder, policy: CONSOLE_POLICY });
  files?.register(app, '/console');
  return files !== null;
}
