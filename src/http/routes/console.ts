// The web console at /console, built by Vite, and the settings that it needs before anybody has
// signed in.
// Invariant: the settings are the same for everyone and hold no secret.
import type { FastifyInstance } from 'fastify';
import { builtFolder } from './built-folder.ts';
import { pagePolicy } from './page-policy.ts';
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
  /** Whether runs of saved searches are sent by e-mail. */
  readonly sendsEmail: boolean;
}

/** A change of the settings needs a restart, so a browser may keep them for a while. */
const CACHED = 'public, max-age=300';

/** Serves the console. @returns false where it has not been built */
export function registerConsole(app: FastifyInstance, settings: ConsoleSettings): boolean {
  const folder = builtFolder('console/public/');
  const files = StaticFiles.open({ folder, policy: pagePolicy(settings.openid?.origins ?? []) });
  if (files === null) return false;
  app.get('/console/settings.json', (_request, reply) =>
    reply.header('cache-control', CACHED).send(settings),
  );
  files.register(app, '/console');
  return true;
}
