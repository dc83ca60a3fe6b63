// A failed call, in one form for all error dialects of the service: a kind, so that pages can
// react, and the messages of the service, the most exact first.

/** Kinds of failures, by what a page can do about them. */
export type FaultKind =
  | 'signed-out' // no token, or an invalid one
  | 'forbidden' // missing level or scope
  | 'missing' // not found
  | 'changed' // the resource was changed by another request
  | 'refused' // invalid request
  | 'busy' // too many requests
  | 'unavailable' // no answer, or temporarily unavailable
  | 'defect'; // internal error

/** Thrown by every call of `client.ts`. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly kind: FaultKind;
  /** Further messages. */
  readonly causes: readonly string[];
  /** Identifies the request in the log of the service. */
  readonly trackingId: string | null;
  /** The `errors` of profile management by member; empty for all other faults. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    kind: FaultKind,
    message: string,
    causes: readonly string[] = [],
    trackingId: string | null = null,
    members: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.kind = kind;
    this.causes = causes;
    this.trackingId = trackingId;
    this.members = members;
  }
}

/** The fault of an error response. @param body the parsed JSON, or null if there was none */
export function faultOfAnswer(status: number, body: unknown): ApiFault {
  // Some bodies repeat a sentence, as message and as error.
  const [first, ...others] = new Set(messagesOf(body));
  const trackingId = textAt(body, 'trackingId');
  return new ApiFault(
    kindOf(status),
    first ?? `The service responded with status ${status}.`,
    others,
    trackingId,
    membersOf(body),
  );
}

/**
 * The answer of a list. With CARDEA_COLLECTION_ENVELOPE=keyed an empty page is an error, such as
 * `no profiles found`.
 */
export async function unlessEmpty<T>(answer: Promise<T>, empty: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (asFault(error).kind === 'refused' && /^no [\w ]+ found$/.test(asFault(error).message))
      return empty;
    throw error;
  }
}

/** Converts a thrown value; anything but an ApiFault is a defect of the console itself. */
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
      return 'unavailable';
    default:
      return status < 500 ? 'refused' : 'defect';
  }
}

/**
 * Bodies of the public API have `causes` and `messages`, those of OAuth and profile management
 * `error`, those of the rate limit `message`.
 */
function messagesOf(body: unknown): string[] {
  const causes = textsOf(body, 'causes');
  if (causes.length > 0) return causes;
  const messages = textsOf(body, 'messages');
  if (messages.length > 0) return messages;
  const error =
    textAt(body, 'error_description') ?? textAt(body, 'error') ?? textAt(body, 'message');
  return [...(error === null ? [] : [error]), ...memberFaults(body)];
}

function memberFaults(body: unknown): string[] {
  return Object.entries(membersOf(body)).map(
    ([name, value]) =>
      `${name} ${Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value)}`,
  );
}

function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  const errors = memberOf(body, 'errors');
  return typeof errors === 'object' && errors !== null ? (errors as Record<string, unknown>) : {};
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
