// The people of the tests, in the form in which the search returns them.

const account = (source: string, disabled: boolean) => ({
  id: `${source}-account`,
  name: source,
  disabled,
  source: { id: source, name: source },
});

const person = (id: string, inactive: boolean, ...accounts: ReturnType<typeof account>[]) => ({
  _type: 'identity',
  id,
  name: `person.${id}`,
  inactive,
  accounts,
});

export const PEOPLE = [
  person('ada', true, account('Directory', false), account('Payroll', true)),
  person('ben', true, account('Directory', true)),
  person('eve', false, account('Directory', false)),
];

/** As many leavers with an open account. */
export const leavers = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    person(`leaver-${String(n).padStart(4, '0')}`, true, account('Directory', false)),
  );
