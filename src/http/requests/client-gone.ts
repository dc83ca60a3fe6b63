import { ServiceError } from '../../errors.ts';

/** Why a request ends whose connection has closed; nobody is left to be told. */
export function clientGone(): ServiceError {
  return new ServiceError('cancelled', 'The client went away.');
}
