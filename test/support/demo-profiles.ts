// Adds the demo company's profiles to the tenant of a running service.
import { EventEmitter } from 'node:events';
import { StopSignal } from '../../src/cli/common/stop-signal.ts';
import { Terminal } from '../../src/cli/common/terminal.ts';
import { fillProfiles } from '../../src/cli/demo/demo-profiles.ts';
import { DemoProfiles } from '../../src/demo/profiles.ts';
import type { RunningService } from './service.ts';

/**
 * Adds the profiles; can be repeated.
 * @param date the reference date, ISO 8601
 */
export async function putDemoProfiles(
  service: Pick<RunningService, 'origin' | 'arrival'>,
  profiles: number,
  date: string,
  identities = 200,
): Promise<DemoProfiles> {
  const demo = new DemoProfiles({ seed: 1, identities, now: Date.parse(date), profiles });
  const { cardea, tenantId } = service.origin;
  const { store, documents } = cardea;
  const tenant = await store.read.tenantById(tenantId);
  if (tenant === null) throw new Error(`There is no tenant ${tenantId}`);
  const quiet = {
    terminal: new Terminal({ write() {} }, { write() {} }, Date.now),
    stop: new StopSignal(new EventEmitter(), Date.now, () => {}),
  };
  await fillProfiles({ documents, tenant, now: date }, demo, profiles, quiet);
  await service.arrival();
  return demo;
}
