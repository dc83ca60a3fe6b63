// suite: slow, alone
// The contract of search backends on the embedded engine, searched as other threads search it.
import { embeddedContract } from './embedded-contract.ts';

embeddedContract('embedded, in another thread', {}, 1);
embeddedContract('embedded, in several threads', {}, 3);
