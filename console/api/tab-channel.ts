// Messages between the tabs of one console: a new tab requests the token, a tab renews or ends the
// session of all. Only pages of the same origin can take part.
import type { SessionDetails } from './claims.ts';

/** Sends messages to the other tabs, and receives theirs, as a BroadcastChannel does. */
export interface Port {
  post(message: Message): void;
  listen(receive: (message: Message) => void): void;
}

/** What a tab answers and does. */
export interface TabHandlers {
  /** The session to hand over; null: none. */
  readonly held: () => { readonly token: string; readonly details: SessionDetails } | null;
  readonly onToken: (token: string, details: SessionDetails) => void;
  /** @param old the token that is replaced */
  readonly onRenewal: (old: string, token: string, details: SessionDetails) => void;
  readonly onEnd: (end: SessionEnd) => void;
}

/** How a session ended in another tab. */
export interface SessionEnd {
  readonly token: string;
  /** Epoch milliseconds of the sign-in, which identify the session: its token may be renewed. */
  readonly since: number;
  /** null: the user signed out. */
  readonly why: string | null;
  /** True if a limit ended it. */
  readonly byLimit: boolean;
}

/** A message between tabs. */
export type Message =
  | { readonly kind: 'request' }
  | { readonly kind: 'token'; readonly token: string; readonly details: SessionDetails }
  | {
      readonly kind: 'renew';
      readonly old: string;
      readonly token: string;
      readonly details: SessionDetails;
    }
  | ({ readonly kind: 'end' } & SessionEnd);

export class TabChannel {
  readonly #port: Port;

  /** @param port delivers messages to the other tabs, not to this one */
  constructor(port: Port, { held, onToken, onRenewal, onEnd }: TabHandlers) {
    this.#port = port;
    port.listen((message) => {
      switch (message.kind) {
        case 'request': {
          const session = held();
          if (session === null) return;
          const { token, details } = session;
          this.#send({ kind: 'token', token, details });
          return;
        }
        case 'token':
          onToken(message.token, message.details);
          return;
        case 'renew':
          onRenewal(message.old, message.token, message.details);
          return;
        case 'end':
          onEnd(message);
          return;
      }
    });
  }

  /** Requests the token from the other tabs. */
  request(): void {
    this.#send({ kind: 'request' });
  }

  /** Replaces the token of a session in the other tabs. */
  renew(old: string, token: string, details: SessionDetails): void {
    this.#send({ kind: 'renew', old, token, details });
  }

  /** Ends the session in the other tabs. */
  end(end: SessionEnd): void {
    this.#send({ kind: 'end', ...end });
  }

  #send(message: Message): void {
    this.#port.post(message);
  }
}
