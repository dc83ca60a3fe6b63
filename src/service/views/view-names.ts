// Names of views, where credentials and auth users refer to them.
import { ServiceError } from '../../errors.ts';
import type { ViewRecords } from '../ports/view-records.ts';

/**
 * Refuses to restrict anything to a view that does not exist: it would see nothing.
 * @param name null: to none
 * @throws ServiceError `illegal_value`
 */
export async function refuseUnknownView(
  records: Pick<ViewRecords, 'view'>,
  tenantId: string,
  name: string | null,
): Promise<void> {
  if (name === null || (await records.view(tenantId, name)) !== null) return;
  const cause = `view: there is no view called ${JSON.stringify(name.slice(0, 100))}`;
  throw new ServiceError('illegal_value', 'There is no such view.', { causes: [cause] });
}
