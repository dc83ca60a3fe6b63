// Builds error bodies. Clients show the first cause, so the most precise sentence comes first.
import type { ServiceError } from '../../errors.ts';

/** One sentence of the public error body. */
export interface ErrorMessage {
  readonly locale: string;
  /** `REQUEST` if the client asked for the locale. */
  readonly localeOrigin: 'DEFAULT' | 'REQUEST';
  readonly text: string;
}

export interface IscErrorBody {
  readonly detailCode: string;
  readonly trackingId: string;
  readonly messages: readonly ErrorMessage[];
  readonly causes: readonly ErrorMessage[];
}

/** The body of profile management. */
export interface NermErrorBody {
  readonly error: string;
  /** Errors by member; each value is an array. */
  readonly errors?: Readonly<Record<string, readonly unknown[]>>;
  readonly message?: string;
}

export type ErrorBody =
  | IscErrorBody
  | NermErrorBody
  | { readonly error: string; readonly error_description?: string }
  | { readonly message: string };

const LOCALE = 'en-US';

/** The error body of the public API. */
export function iscBody(
  fault: ServiceError,
  wire: { readonly detailCode: string; readonly text?: string },
  trackingId: string,
  acceptLanguage: string | undefined,
): IscErrorBody {
  const localeOrigin = asksForEnglish(acceptLanguage) ? 'REQUEST' : 'DEFAULT';
  const message = (text: string): ErrorMessage => ({ locale: LOCALE, localeOrigin, text });
  return {
    detailCode: wire.detailCode,
    trackingId,
    messages: [message(wire.text ?? fault.message)],
    causes: causesOf(fault).map(message),
  };
}

/** The error body of profile management (contract/profiles.md section 2). */
export function nermBody(fault: ServiceError): NermErrorBody {
  const { errors, causes = [] } = fault.details;
  switch (fault.code) {
    case 'internal':
      return { error: 'Sorry something went wrong' };
    case 'rate_limited':
      return { error: 'Rate Limit Exceeded', message: 'Rate Limit Exceeded' };
    case 'body_malformed':
      return { error: ['Invalid JSON syntax.', ...causes.map(sentence)].join(' ') };
    default:
      if (errors !== undefined) return { error: fault.message, errors };
      return { error: [fault.message, ...causes.map(sentence)].join(' ') };
  }
}

/** Turns a cause into a sentence. */
function sentence(cause: string): string {
  return `${cause.slice(0, 1).toUpperCase()}${cause.slice(1)}${/[.!?]$/.test(cause) ? '' : '.'}`;
}

/** The error body of OAuth (RFC 6749 section 5.2). */
export function oauthBody(fault: ServiceError, error: string): ErrorBody {
  const [cause] = fault.details.causes ?? [];
  const description = cause === undefined ? fault.message : `${fault.message} ${cause}`;
  return { error, error_description: description };
}

function causesOf(fault: ServiceError): readonly string[] {
  const { causes = [], offset } = fault.details;
  if (fault.code === 'internal') return [];
  if (causes.length > 0) return causes;
  if (offset === undefined || fault.message.includes(`offset ${offset}`)) return [fault.message];
  return [`${fault.message.replace(/\.$/, '')} at offset ${offset}`];
}

/** True if Accept-Language names the language of the texts. */
function asksForEnglish(acceptLanguage: string | undefined): boolean {
  if (acceptLanguage === undefined) return false;
  return acceptLanguage
    .split(',')
    .some(
      (range) => /^\s*en(?:-us)?\s*(?:;|$)/i.test(range) && !/;\s*q=0(?:\.0*)?\s*$/.test(range),
    );
}
