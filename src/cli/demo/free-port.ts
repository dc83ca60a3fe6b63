// Notices a taken port before the demo company is created, which takes a while.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config/config.ts';

/** @throws Error with the code EADDRINUSE or EACCES, as the start of the server would */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  server.listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
