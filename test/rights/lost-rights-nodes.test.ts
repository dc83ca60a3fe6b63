// suite: slow, alone
// What a right that is lost at one node takes with it at another, over one PostgreSQL: within a second. Tests allow more, since
// machines are noisy; test/api/nodes.test.ts holds how long a node trusts what it read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Client } from 'pg';
import { pino } from 'pino';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres.ts';
import { type RunningService, startService } from '../support/service.ts';
import { ASKED } from './holdings.ts';
import { lostRights, type Receivers, startReceivers } from './lost-rights.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'cardea-rights-'));
const postgres = await startPostgres();
let receivers: Receivers;
let service: RunningService;
let other: Cardea;
let url: string;
let database: string;
before(async () => {
  receivers = await startReceivers();
  database = await postgres.database('rights');
  const settings = { CARDEA_STORE_URL: database, ...receivers.settings };
  service = await startService(settings);
  const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, ...settings });
  other = await compose(config, { log: pino({ level: 'silent' }) });
  ({ url } = await other.start());
});
after(async () => {
  await other?.stop();
  await service?.stop();
  await receivers?.close();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

lostRights(
  () => ({
    ...{ ...receivers, service, url },
    async removeTenant(id) {
      const client = new Client({ connectionString: database });
      await client.connect();
      await client.query('DELETE FROM tenant WHERE id = $1', [id]);
      await client.end();
    },
  }),
  async (tenant) => {
    const headers = { authorization: `Bearer ${await tenant.token()}` };
    await eventually(async () => {
      const body = JSON.stringify({ indices: ['identities'], query: { query: `id:${ASKED.id}` } });
      const json = { ...headers, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/v3/search`, { method: 'POST', headers: json, body });
      assert.equal(((await answer.json()) as unknown[]).length, 1);
    });
  },
);
