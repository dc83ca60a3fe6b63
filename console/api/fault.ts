// A call that did not succeed, in one form, whichever dialect the answer was in: what kind of trouble it is, so that
// pages can react, and the sentences of the service, the most exact first.

/** What a page can do about it differs by these. */
export type FaultKind =
  | 'signed-out' // no token, or one that is not taken any more
  | 'forbidden' // the level or the scope is missing
  | 'missing' // nothing there
  | 'changed' // somebody else was faster
  | 'refused' // the request is at fault
  | 'busy' // too many requests
  | 'away' // no answer, or not now
  | 'defect'; // a fault of the service

/** Thrown by every call of `client.ts`. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly kind: FaultKind;
  /** Further sentences behind the message. */
  readonly causes: readonly string[];
  /** Finds the request in the log of the service. */
  readonly trackingId: string | null;

  constructor(
    kind: FaultKind,
    message: string,
    causes: readonly string[] = [],
    trackingId: string | null = null,
  ) {
    super(message);
    this.kind = kind;
    this.causes = causes;
    this.trackingId = trackingId;
  }
}

/** The fault that an answer tells. @param body its parsed JSON, or null where it had none */
export function faultOfAnswer(status: number, body: unknown): ApiFault {
  const [first, ...others] = sentencesOf(body);
  const trackingId = textAt(body, 'trackingId');
  return new ApiFault(kindOf(status), first ?? `The answer was ${status}.`, others, trackingId);
}

/** Anything thrown, as a fault; what is none is a defect of the console itself. */
export function asFault(error: unknown): ApiFault {
  if (error instanceof ApiFault) return error;
  return new ApiFault('defect', error instanceof Error ? error.message : String(error));
}

function kindOf(status: number): FaultKind {
  switch (status) {
    case 401:
      return 'signed-out';
    case 403:
      return 'forbidden';
    case 404:
      return 'missing';
    case 412:
      return 'changed';
    case 429:
      return 'busy';
    case 502:
    case 503:
    case 504:
      return 'away';
    default:
      return status < 500 ? 'refused' : 'defect';
  }
}

/** Public bodies have `causes` and `messages`, OAuth and profile management `error`, a rate limit `message`. */
function sentencesOf(body: unknown): string[] {
  const causes = textsOf(body, 'causes');
  if (causes.length > 0) return causes;
  const messages = textsOf(body, 'messages');
  if (messages.length > 0) return messages;
  const error =
    textAt(body, 'error_description') ?? textAt(body, 'error') ?? textAt(body, 'message');
  return [...(error === null ? [] : [error]), ...memberFaults(body)];
}

function memberFaults(body: unknown): string[] {
  const errors = memberOf(body, 'errors');
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).map(
    ([name, told]) => `${name} ${Array.isArray(told) ? told.map(textOf).join(', ') : textOf(told)}`,
  );
}

function textsOf(body: unknown, member: string): string[] {
  const list = memberOf(body, member);
  return Array.isArray(list)
    ? list.map((item) => textAt(item, 'text')).filter((text) => text !== null)
    : [];
}

function textAt(body: unknown, member: string): string | null {
  const value = memberOf(body, member);
  return typeof value === 'string' ? value : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined;
}
