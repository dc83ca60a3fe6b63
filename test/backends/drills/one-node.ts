// The other installation there is: one node with everything embedded, over a data directory.
import { join } from 'node:path';
import { tokenOf } from '../../support/callers.ts';
import { NodeProcess, type Settings } from '../../support/node-process.ts';
import { eventually } from './eventually.ts';
import { allReady, createTenant, type Drilled } from './installation.ts';

/** A node that runs, and what drills need of it; `url` is that of the node as it runs now. */
export async function startOneNode(
  dataDir: string,
  { settings = {}, nodeFlags = [] }: { settings?: Settings; nodeFlags?: readonly string[] } = {},
): Promise<Drilled & { readonly node: NodeProcess; newToken(): Promise<string> }> {
  const credentials = createTenant({ CARDEA_DATA_DIR: dataDir });
  const node = new NodeProcess({ CARDEA_DATA_DIR: dataDir, ...settings }, nodeFlags);
  await node.start();
  await eventually('the node is ready', () => allReady([node]));
  return {
    node,
    nodes: [node],
    token: await tokenOf(node.url, credentials),
    newToken: () => tokenOf(node.url, credentials),
    store: join(dataDir, 'cardea.db'),
    get url() {
      return node.url;
    },
  };
}
