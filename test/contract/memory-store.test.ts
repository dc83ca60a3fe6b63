// The store contract on the store in memory, so that what a test learns from it holds for a database.
import { MemoryData, MemoryStore } from '../support/memory-store.ts';
import { storeContract } from './store.ts';

const databases = new Map<string, MemoryData>();

storeContract('memory', async (name) => {
  const data = databases.get(name) ?? new MemoryData();
  databases.set(name, data);
  return new MemoryStore(data);
});
