// The contract of search backends on the embedded engine as it is by default.
import { embeddedContract } from './embedded-contract.ts';

embeddedContract('embedded', {});
