// What the test files of a process share. scripts/test.ts imports this first, so that the hook belongs to
// the process and not to one of its files.
import { after } from 'node:test';

const ends: (() => Promise<void>)[] = [];

after(async () => {
  for (const end of ends.reverse()) await end();
});

/**
 * @param make is called with the first call of the returned function
 * @param end is called with its result after all tests of the process
 */
export function shared<T>(
  make: () => Promise<T>,
  end: (made: T) => Promise<void>,
): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    if (made === null) {
      const making = make();
      made = making;
      ends.push(() => making.then(end, () => {}));
    }
    return made;
  };
}
