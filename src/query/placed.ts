// A fault of a text or pattern that stands somewhere in a body, told again with that place.
import { ServiceError } from '../errors.ts';

/** Runs `make`; what it throws says the place first. */
export function placed<T>(place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const sentence = `${place}: ${error.message}`;
    // What stands behind the first cause shows the place in the text.
    const [, ...shown] = error.details.causes ?? [];
    throw new ServiceError(error.code, sentence, {
      ...error.details,
      causes: [sentence, ...shown],
    });
  }
}
