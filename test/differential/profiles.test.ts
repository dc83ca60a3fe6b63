// suite: alone
// Advanced search on SQLite against the naive evaluator.
import { caseCount } from '../support/case-count.ts';
import { temporaryStore } from '../support/tenant.ts';
import { findsTheSameProfiles } from './profiles-judge.ts';

findsTheSameProfiles('SQLite', caseCount(200, 5000), caseCount(0, 25), temporaryStore);
