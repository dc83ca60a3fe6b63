// suite: slow, alone
// What a lost right takes with it, on one node: at once.

import { join } from 'node:path';
import { after, before } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { type RunningService, startService } from '../support/service.ts';
import { lostRights, type Receivers, startReceivers } from './lost-rights.ts';

let receivers: Receivers;
let service: RunningService;
before(async () => {
  receivers = await startReceivers();
  service = await startService(receivers.settings);
});
after(async () => {
  await service?.stop();
  await receivers?.close();
});

lostRights(
  () => ({
    ...{ ...receivers, service, url: service.url },
    async removeTenant(id) {
      const database = new DatabaseSync(join(service.dataDir, 'cardea.db'));
      database.prepare('DELETE FROM tenant WHERE id = ?').run(id);
      database.close();
    },
  }),
  async () => {},
);
