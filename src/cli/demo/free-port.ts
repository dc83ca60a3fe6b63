// Notices a taken port before the demo company is created, which takes a while.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenAt } from '../../compose/listening.ts';
import type { Config } from '../../config/config.ts';

/** @throws ConfigError as the start of the server would */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  server.listen({ host, port });
  await listenAt({ host, port, flag: '--port' }, () => once(server, 'listening'));
  server.close();
  await once(server, 'close');
}
