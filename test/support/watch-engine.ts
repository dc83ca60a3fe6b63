// Preloaded by search workers in tests, to check the iterator contract of all cursors in the
// thread.
import { watchEngine } from './iterator-contract.ts';

await watchEngine();
