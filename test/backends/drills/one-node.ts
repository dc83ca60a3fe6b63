// The other installation there is: one node with everything embedded, over a data directory.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { tokenOf } from '../../support/callers.ts';
import { NodeProcess, type Settings } from '../../support/node-process.ts';
import { eventually } from './eventually.ts';
import { allReady, createTenant, type Drilled } from './installation.ts';

/** One node and its data directory; `url` is that of the node as it runs now. */
export interface OneNode extends Drilled {
  readonly node: NodeProcess;
  readonly dataDir: string;
  newToken(): Promise<string>;
  /** The token of the administrator of another tenant, which is made. */
  neighbour(name: string): Promise<string>;
}

/** A node that runs, and what drills need of it. */
export async function startOneNode(
  dataDir: string,
  { settings = {}, nodeFlags = [] }: { settings?: Settings; nodeFlags?: readonly string[] } = {},
): Promise<OneNode> {
  const credentials = createTenant({ CARDEA_DATA_DIR: dataDir });
  const node = new NodeProcess({ CARDEA_DATA_DIR: dataDir, ...settings }, nodeFlags);
  await node.start();
  await eventually('the node is ready', () => allReady([node]));
  return {
    node,
    dataDir,
    nodes: [node],
    token: await tokenOf(node.url, credentials),
    newToken: () => tokenOf(node.url, credentials),
    neighbour: (name) => tokenOf(node.url, createTenant({ CARDEA_DATA_DIR: dataDir }, name)),
    store: join(dataDir, 'cardea.db'),
    get url() {
      return node.url;
    },
  };
}

/** What the load writes can be searched at this moment. @throws AssertionError where it cannot */
export async function assertReadsGoOn({ url, token }: OneNode): Promise<void> {
  const answer = await fetch(`${url}/v2024/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ indices: ['roles'], query: { query: 'name:Role' } }),
  });
  assert.equal(answer.status, 200, await answer.text());
}
