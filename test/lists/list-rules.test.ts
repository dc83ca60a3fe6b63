// The rules of filters and sorters on SQLite and the embedded engine; test/backends/list-rules.test.ts has
// the others.
import { listRules } from './list-rules.ts';

listRules(async () => ({}));
