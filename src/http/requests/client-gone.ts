import { ServiceError } from '../../errors.ts';

/** The error that ends a request whose connection has closed; it is logged but never sent. */
export function clientGone(): ServiceError {
  return new ServiceError('cancelled', 'The client went away.');
}
