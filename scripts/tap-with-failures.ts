// A reporter for node's test runner: TAP, with the failed tests repeated before the closing counts, since a log
// of thousands of passing tests is often read, or kept, from its end only.
import { type TestEvent, tap } from 'node:test/reporters';
import { inspect } from 'node:util';

type FailedTest = Extract<TestEvent, { type: 'test:fail' }>['data'];

/** How many failed tests are repeated with their errors. */
const REPEATED_MAX = 50;

// biome-ignore lint/style/noDefaultExport: the runner takes the default export of a reporter.
export default async function* tapWithFailures(
  events: AsyncGenerator<TestEvent, void>,
): AsyncGenerator<string, void> {
  yield* tap(withFailures(events));
}

/** Adds a comment for each failed test before the runner's own closing comments. */
async function* withFailures(
  events: AsyncGenerator<TestEvent, void>,
): AsyncGenerator<TestEvent, void> {
  const failed: FailedTest[] = [];
  let isClosing = false;
  for await (const event of events) {
    if (event.type === 'test:fail' && !failsForItsSubtests(event.data)) failed.push(event.data);
    if (event.type === 'test:plan' && event.data.nesting === 0 && !isClosing) {
      isClosing = true;
      for (const test of failed.slice(0, REPEATED_MAX)) {
        for (const message of describe(test).split('\n')) {
          yield { type: 'test:diagnostic', data: { message, nesting: 0 } };
        }
      }
    }
    yield event;
  }
}

function failsForItsSubtests(test: FailedTest): boolean {
  return Object(test.details.error).failureType === 'subtestsFailed';
}

/** The name, the file, and the error with its stack. */
function describe(test: FailedTest): string {
  const error: unknown = test.details.error.cause ?? test.details.error;
  return `failed: ${test.name}\n${test.file ?? ''}:${test.line ?? ''}\n${inspect(error, { depth: 4 })}`;
}
