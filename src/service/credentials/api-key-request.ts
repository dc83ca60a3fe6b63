// Reads the body that creates an API key. Pure: body and time in, checked values out.

import { ServiceError } from '../../errors.ts';
import { strictIsoDate } from '../../query/analysis/values.ts';
import { API_KEY_SCOPES, type ApiKey, type ApiKeyScope } from '../ports/api-key-records.ts';
import { type MemberFaults, membersOf, readName } from './credential-members.ts';

/** The validated members of a request. */
export interface ApiKeyRequest extends Pick<ApiKey, 'name' | 'expires'> {
  /** null if the request has none. */
  readonly scope: ApiKeyScope | null;
}

const FAULTS: MemberFaults = {
  type: (cause) => fault('request_invalid', cause),
  value: (cause) => fault('illegal_value', cause),
};

/**
 * Reads the body; null counts as absent, unknown members are ignored.
 * @param now epoch milliseconds
 * @throws ServiceError `request_invalid` for a wrong type, `illegal_value` for a wrong value
 */
export function readApiKeyRequest(body: unknown, now: number): ApiKeyRequest {
  const members = membersOf(body);
  return {
    name: readName(members.get('name'), FAULTS),
    scope: readScope(members.get('scope')),
    expires: readExpires(members.get('expires'), now),
  };
}

function readScope(value: unknown): ApiKeyScope | null {
  if (value === undefined || value === null) return null;
  const requested = API_KEY_SCOPES.find((scope) => scope === value);
  if (requested === undefined) throw FAULTS.value(`scope: one of ${API_KEY_SCOPES.join(', ')}`);
  return requested;
}

function readExpires(value: unknown, now: number): string | null {
  if (value === undefined || value === null) return null;
  const time = typeof value === 'string' ? strictIsoDate(value) : undefined;
  if (time === undefined) throw FAULTS.value('expires: an ISO 8601 date-time is needed');
  if (time <= now) throw FAULTS.value('expires: must lie in the future');
  return new Date(time).toISOString();
}

function fault(code: 'request_invalid' | 'illegal_value', cause: string): ServiceError {
  return new ServiceError(code, 'The API key cannot be created.', { causes: [cause] });
}
