// Refuses a request whose body is missing: the HTTP layer parses nothing where nothing was sent.
import { ServiceError } from '../errors.ts';

/**
 * @param body what was parsed; undefined if the request had no body
 * @throws ServiceError `body_malformed`, as for a body of no bytes
 */
export function refuseAbsentBody(body: unknown): void {
  if (body !== undefined) return;
  throw new ServiceError('body_malformed', 'The request could not be parsed.', {
    causes: ['the body is empty'],
  });
}
