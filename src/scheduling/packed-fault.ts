// Errors in a form that can be sent between threads, with the details of a ServiceError and the
// stack of a defect.
import { type ErrorCode, type ErrorDetails, ServiceError } from '../errors.ts';

export type PackedFault =
  | {
      readonly kind: 'service';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
    }
  | { readonly kind: 'defect'; readonly message: string; readonly stack: string };

export function packFault(error: unknown): PackedFault {
  if (error instanceof ServiceError) {
    const { code, message, details } = error;
    return { kind: 'service', code, message, details };
  }
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'defect', message, stack };
}

export function unpackFault(fault: PackedFault): Error {
  if (fault.kind === 'service') return new ServiceError(fault.code, fault.message, fault.details);
  const error = new Error(fault.message);
  error.stack = fault.stack;
  return error;
}
