// Adds the place in the body to an error in a text or pattern.
import { ServiceError } from '../errors.ts';

/** Runs `make`; prefixes the messages of its errors with the place. */
export function withPlace<T>(place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const sentence = `${place}: ${error.message}`;
    // Further causes show the place in the text.
    const [, ...furtherCauses] = error.details.causes ?? [];
    throw new ServiceError(error.code, sentence, {
      ...error.details,
      causes: [sentence, ...furtherCauses],
    });
  }
}
