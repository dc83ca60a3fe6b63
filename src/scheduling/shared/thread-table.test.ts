import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { ThreadTable } from './thread-table.ts';

/** Threads of a process, all of which run and accept connections. */
function threads(count: number): ThreadTable[] {
  const memory = ThreadTable.memory(count);
  const tables = Array.from({ length: count }, (_, number) => new ThreadTable(memory, number));
  for (const [number, table] of tables.entries()) {
    table.ran(number);
    table.open();
  }
  return tables;
}

const connectionsOf = ([first, ...others]: readonly ThreadTable[]) =>
  [first, ...others].map((table) => table?.connections(table.own));

test('a connection goes to the thread with the fewest, and stays where none has fewer', () => {
  const tables = threads(3);
  const [, second] = tables;
  for (let n = 0; n < 7; n++) second?.addConnection();
  assert.deepEqual(connectionsOf(tables), [2, 3, 2]);
  second?.removeConnection();
  second?.removeConnection();
  assert.equal(second?.addConnection(), 1);
});

test('one that cannot be handed over counts where it stays', () => {
  const tables = threads(2);
  const [first] = tables;
  assert.deepEqual([first?.addConnection(), first?.addConnection()], [0, 1]);
  first?.keepConnection(1);
  assert.deepEqual(connectionsOf(tables), [2, 0]);
});

test('a thread that accepts none gets none, and ends of its connections count for nothing', () => {
  const tables = threads(2);
  const [first, second] = tables;
  second?.close();
  assert.deepEqual([first?.addConnection(), first?.addConnection()], [0, 0]);
  second?.removeConnection();
  first?.keepConnection(1);
  assert.deepEqual(connectionsOf(tables), [3, -1]);
  first?.close();
  assert.equal(first?.addConnection(), 0);
  assert.deepEqual(connectionsOf(tables), [-1, -1]);
});

test('a thread that has not run lately gets none; without the main thread, none is handed over', async () => {
  const tables = threads(3);
  const [first, second] = tables;
  await eventually(() => assert.ok((first?.silentMs(2) ?? 0) > 1_600));
  for (const number of [0, 1]) first?.ran(number);
  for (let n = 0; n < 4; n++) first?.addConnection();
  assert.deepEqual(connectionsOf(tables), [2, 2, 0]);
  await eventually(() => assert.ok((first?.silentMs(0) ?? 0) > 1_600));
  for (const number of [1, 2]) second?.ran(number);
  for (let n = 0; n < 4; n++) second?.addConnection();
  assert.deepEqual(connectionsOf(tables), [2, 6, 0]);
});
