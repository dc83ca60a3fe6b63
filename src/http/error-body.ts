// The bodies faults are told in. A client shows the first cause before anything else, so the most exact sentence
// comes first.
import type { ServiceError } from '../errors.ts';

/** One sentence of the public error body. */
export interface ErrorMessage {
  readonly locale: string;
  /** Whether the locale was asked for or is the only one there is. */
  readonly localeOrigin: 'DEFAULT' | 'REQUEST';
  readonly text: string;
}

export interface IscErrorBody {
  readonly detailCode: string;
  readonly trackingId: string;
  readonly messages: readonly ErrorMessage[];
  readonly causes: readonly ErrorMessage[];
}

export type ErrorBody =
  | IscErrorBody
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

/** RFC 6749 section 5.2. */
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

/** Whether the texts' language is among those the caller asks for by name. */
function asksForEnglish(acceptLanguage: string | undefined): boolean {
  if (acceptLanguage === undefined) return false;
  return acceptLanguage
    .split(',')
    .some(
      (range) => /^\s*en(?:-us)?\s*(?:;|$)/i.test(range) && !/;\s*q=0(?:\.0*)?\s*$/.test(range),
    );
}
