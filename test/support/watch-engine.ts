// Preload for search workers in tests: checks the iterator contract on every cursor of the engine in that thread.
import { watchEngine } from './iterator-contract.ts';

await watchEngine();
