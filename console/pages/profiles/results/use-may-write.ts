// Whether to offer changes of profiles. The service decides again with each request.
import { ACCESS } from '../../../../src/auth/access.ts';
import { session } from '../../../api/session.ts';
import { useCell } from '../../../ui/use-cell.ts';

/** True if the levels of the user allow to write profiles. */
export function useMayWrite(): boolean {
  const levels = useCell(session)?.levels ?? [];
  const { levels: required } = ACCESS['profiles:write'];
  return required === 'any' || required.some((level) => levels.includes(level));
}
