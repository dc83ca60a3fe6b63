// Random documents with edge cases: empty strings, nulls, empty and nested arrays, unmapped
// members, values of the wrong type, and the texts of random-text.ts.
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import type { PlainDocument } from './naive.ts';
import type { Random } from './random.ts';
import { ESSAY } from './random-mapping.ts';
import { DATES, longText, NUMBERS, randomKey, randomText } from './random-text.ts';

type Members = Record<string, unknown>;

const INTEGERS = NUMBERS.filter(Number.isInteger);

export function randomDocument(random: Random, mapping: Mapping, id: string): PlainDocument {
  const document: Members = { id };
  const fields = [...mapping.fields.values()].filter(({ path }) => path !== 'id');
  fill(
    random,
    document,
    fields.filter(({ nested }) => nested === null),
    0,
  );
  for (const path of mapping.nestedPaths) {
    if (random.chance(0.25)) continue;
    const own = fields.filter(({ nested }) => nested === path);
    document[path] = random.list(0, 4, () => {
      const element: Members = {};
      fill(random, element, own, path.length + 1);
      return element;
    });
  }
  if (random.chance(0.3)) document['surprise'] = { text: randomText(random), at: [1, null] };
  return document as PlainDocument;
}

/** @param skip length of the path prefix that leads to the object */
function fill(random: Random, target: Members, fields: readonly Field[], skip: number): void {
  for (const field of fields) {
    if (!random.chance(0.75)) continue;
    const names = field.path.slice(skip).split('.');
    const last = names.pop() ?? '';
    let at: Members | null = target;
    for (const name of names) {
      at[name] ??= random.chance(0.03) ? null : {};
      at = at[name] as Members | null;
      if (at === null) break;
    }
    if (at !== null) at[last] = some(random, () => randomValue(random, field));
  }
}

/** One value, several, none, or null. */
function some(random: Random, make: () => unknown): unknown {
  const dice = random.int(24);
  if (dice < 2) return null;
  if (dice < 4) return [];
  if (dice < 6) return [null, make()];
  if (dice === 6) return [[make()], make()];
  if (dice === 7) return { not: 'a value' };
  if (dice < 11) return random.list(1, 3, make);
  return make();
}

function randomValue(random: Random, { path, type, dynamic }: Field): unknown {
  if (path === ESSAY && random.chance(0.15)) return longText(random);
  switch (type) {
    case 'text':
      if (dynamic && random.chance(0.5)) {
        return random.pick<unknown>([...DATES, '7', '-2.5', '12', 'soon', 3, true, 'True']);
      }
      return random.chance(0.3) ? randomKey(random) : randomText(random);
    case 'keyword':
      return random.chance(0.9) ? randomKey(random) : random.pick<unknown>([12, true, 'ada bob']);
    case 'date':
      return random.pick<unknown>([...DATES, ...DATES, 'never', 86_400_000, '2024-05']);
    case 'long':
      // With a fraction the field would have become a double.
      if (dynamic)
        return random.pick<unknown>([...INTEGERS, ...INTEGERS, '12', 'many', '1.5', true]);
      return random.pick<unknown>([...NUMBERS, ...NUMBERS, '12', 'many', '1.5', true]);
    case 'double':
      return random.pick<unknown>([...NUMBERS, ...NUMBERS, '12', 'many', '1.5', true]);
    case 'boolean':
      return random.pick<unknown>([true, false, 'true', 'false', 'yes', 1]);
  }
}
