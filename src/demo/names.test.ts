import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginLetters, Names } from './names.ts';

for (const [name, login] of [
  ['Mira', 'mira'],
  ["O'Brien", 'obrien'],
  ['van der Meer', 'vandermeer'],
  ['Jean-Luc', 'jean-luc'],
  ['Łukasz', 'lukasz'],
  ['Groß', 'gross'],
  ['İbrahim', 'ibrahim'],
  ['Þórdís', 'thordis'],
  ['Đặng', 'dang'],
  ['Øystein', 'oystein'],
] as const) {
  test(`the login letters of ${name} are ${login}`, () => assert.equal(loginLetters(name), login));
}

test('200,000 people have 200,000 logins of plain ASCII letters', () => {
  const names = new Names(1);
  const logins = new Set<string>();
  for (let n = 0; n < 200_000; n += 1) {
    const { login } = names.name(n);
    assert.match(login, /^[a-z-]+\.([a-z]\.)?[a-z-]+\d*$/);
    logins.add(login);
  }
  assert.equal(logins.size, 200_000);
});

test('repeats a name with a middle initial, then with a number', () => {
  const names = new Names(1);
  const repetitions = Array.from({ length: 400_000 }, (_, n) => names.name(n)).filter(
    ({ first, last }) => first === 'Adam' && last === 'Archer',
  );
  assert.deepEqual(
    repetitions.slice(0, 3).map(({ display, login }) => `${display} ${login}`),
    ['Adam Archer adam.archer', 'Adam A. Archer adam.a.archer', 'Adam B. Archer adam.b.archer'],
  );
  assert.equal(repetitions[27]?.login, 'adam.a.archer2');
});
