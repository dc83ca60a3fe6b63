// How many random cases a test runs. `npm test` runs few, so that it is quick; CI sets TEST_CASES=many.

/** The number of cases of this run. */
export function caseCount(few: number, many: number): number {
  return isThorough() ? many : few;
}

/** Whether this run is a thorough one. */
export function isThorough(): boolean {
  return process.env['TEST_CASES'] === 'many';
}
