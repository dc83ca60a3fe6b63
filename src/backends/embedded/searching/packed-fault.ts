// Errors in a form that can be sent between threads, with the details of a ServiceError and the
// stack of a defect.
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { type ErrorCode, type ErrorDetails, ServiceError } from '../../../errors.ts';

export type PackedFault =
  | { readonly kind: 'corrupt'; readonly segment: string; readonly message: string }
  | {
      readonly kind: 'service';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
    }
  | { readonly kind: 'defect'; readonly message: string; readonly stack: string };

export function packFault(error: unknown): PackedFault {
  if (error instanceof CorruptSegmentError) {
    return { kind: 'corrupt', segment: error.segment, message: error.message };
  }
  if (error instanceof ServiceError) {
    const { code, message, details } = error;
    return { kind: 'service', code, message, details };
  }
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'defect', message, stack };
}

export function unpackFault(fault: PackedFault): Error {
  switch (fault.kind) {
    case 'corrupt': {
      const error = new CorruptSegmentError(fault.segment, '');
      error.message = fault.message;
      return error;
    }
    case 'service':
      return new ServiceError(fault.code, fault.message, fault.details);
    case 'defect': {
      const error = new Error(fault.message);
      error.stack = fault.stack;
      return error;
    }
  }
}
