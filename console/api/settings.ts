// The settings that the service gives to the console before anybody has signed in: limits of a
// session, and the client at an OpenID provider. They hold no secret, and browsers cache them.
import { Cell } from '../model/cell.ts';
import { reconnections, SERVICE } from './connection.ts';

/** The console's client at an OpenID provider. */
export interface OpenIdSettings {
  /** Exactly as in the claim `iss`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Further parameters of authorization and token requests. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Origins that the page's policy allows requests to. */
  readonly origins: readonly string[];
  /** Label of the button. */
  readonly label: string;
}

export interface ConsoleSettings {
  /** Time without activity after which a session ends. */
  readonly idleSeconds: number;
  /** Longest time from the sign-in to the end of a session. */
  readonly sessionSeconds: number;
  /** null: there is no sign-in with a provider. */
  readonly openid: OpenIdSettings | null;
  /** Whether the service sends the runs of saved searches by e-mail. */
  readonly sendsEmail: boolean;
}

/** Those of a service without any; they hold until the real ones have arrived. */
const DEFAULTS: ConsoleSettings = {
  ...{ idleSeconds: 3_600, sessionSeconds: 43_200, openid: null, sendsEmail: true },
};

/** The current settings. */
export const settings = new Cell<ConsoleSettings>(DEFAULTS);
/** True until the first request for the settings has ended. */
export const isWaitingForSettings = new Cell(true);

/** Loads the settings, and again on each reconnection until that succeeds. */
export async function loadSettings(): Promise<void> {
  try {
    const answer = await fetch(new URL('console/settings.json', SERVICE), { credentials: 'omit' });
    if (!answer.ok) throw new Error(`The service responded with status ${answer.status}.`);
    settings.set((await answer.json()) as ConsoleSettings);
  } catch {
    // The service is unreachable, as any further request shows.
    const stop = reconnections.watch(() => {
      stop();
      void loadSettings();
    });
  }
  isWaitingForSettings.set(false);
}
