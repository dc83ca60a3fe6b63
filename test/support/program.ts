// The command line as users run it: the bundle, which loads in half the time of the compiled sources.
import { fileURLToPath } from 'node:url';

/** The file of the program, which `npm run build` makes. */
export const CARDEA = fileURLToPath(new URL('../../bundle/cardea.js', import.meta.url));
