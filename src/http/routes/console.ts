// The web console at /console, built by Vite, and the settings that it needs before anybody has
// signed in.
// Invariant: the settings are the same for everyone and hold no secret.
import type { FastifyInstance } from 'fastify';
import { builtFolder } from './built-folder.ts';
import { StaticFiles } from './static-files.ts';

/** What the console needs to know. */
export interface ConsoleSettings {
  /** Time without activity after which it signs out. */
  readonly idleSeconds: number;
  /** Longest time from the sign-in to the sign-out. */
  readonly sessionSeconds: number;
  /** Its client at an OpenID provider; null: there is none. */
  readonly openid: {
    readonly issuer: string;
    readonly clientId: string;
    readonly scopes: string;
    readonly parameters: Readonly<Record<string, string>>;
    /** Origins that it may send requests to. */
    readonly origins: readonly string[];
    readonly label: string;
  } | null;
}

/** A change of the settings needs a restart, so a browser may keep them for a while. */
const CACHED = 'public, max-age=300';

/**
 * The Content-Security-Policy: nothing inline, nothing from other hosts, and no way to turn a text
 * into a script or markup. Requests go to the service, and to the configured OpenID provider.
 */
function consolePolicy({ openid }: ConsoleSettings): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...(openid?.origins ?? [])].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Serves the console. @returns false where it has not been built */
export function registerConsole(app: FastifyInstance, settings: ConsoleSettings): boolean {
  const folder = builtFolder('console/public/');
  const files = StaticFiles.open({ folder, policy: consolePolicy(settings) });
  if (files === null) return false;
  app.get('/console/settings.json', (_request, reply) =>
    reply.header('cache-control', CACHED).send(settings),
  );
  files.register(app, '/console');
  return true;
}
