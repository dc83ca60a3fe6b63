// suite: slow, alone
// The contract of search backends on the embedded engine with search workers.
import { embeddedContract } from './embedded-contract.ts';

embeddedContract('embedded, as it pays', { searchWorkers: 1 });
embeddedContract('embedded, in workers', { searchWorkers: 2, mainThreadSearches: 'never' });
