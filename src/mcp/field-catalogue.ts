// The fields of an index for an assistant: those of the document type, and those below dynamic
// objects such as `attributes`, which a sample of documents shows. Each has its type, its nested
// array and examples.
import { type Field, kindOf, type Mapping } from '../query/mapping/mapping.ts';

/** Values that are shown of a field. */
const EXAMPLES_MAX = 3;
const EXAMPLE_CHARACTERS = 60;

interface CataloguedField {
  readonly path: string;
  readonly type: string;
  readonly nested: string | null;
  readonly examples: string[];
}

/**
 * One line for each field: path, type, nested array, examples.
 * @param mapping of the document type, without fields that the caller does not have
 * @param sample documents of the index, with their nested arrays
 * @param contains only fields whose path has this text
 */
export function fieldLines(
  { fields: fixed, dynamicRoots, nestedPaths }: Mapping,
  sample: readonly unknown[],
  contains: string,
): readonly string[] {
  const fields = new Map<string, CataloguedField>();
  for (const field of fixed.values()) fields.set(field.path, catalogued(field));
  const visit = (path: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(path, item);
    } else if (typeof value === 'object') {
      for (const [name, member] of Object.entries(value)) {
        visit(path === '' ? name : `${path}.${name}`, member);
      }
    } else {
      const isDynamic = dynamicRoots.some((root) => path.startsWith(`${root}.`));
      if (!fields.has(path) && isDynamic) {
        const nested = nestedPaths.find((one) => path.startsWith(`${one}.`)) ?? null;
        fields.set(path, {
          path,
          type: kindOf(value as string | number | boolean),
          nested,
          examples: [],
        });
      }
      addExample(fields.get(path), String(value));
    }
  };
  for (const document of sample) visit('', document);
  const part = contains.toLowerCase();
  return [...fields.values()]
    .filter(({ path }) => path.toLowerCase().includes(part))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(lineOf);
}

function catalogued({ path, type, nested }: Field): CataloguedField {
  return { path, type, nested, examples: [] };
}

function addExample(field: CataloguedField | undefined, value: string): void {
  if (field === undefined || field.examples.length >= EXAMPLES_MAX || value === '') return;
  const shown =
    value.length > EXAMPLE_CHARACTERS ? `${value.slice(0, EXAMPLE_CHARACTERS)}…` : value;
  if (!field.examples.includes(shown)) field.examples.push(shown);
}

function lineOf({ path, type, nested, examples }: CataloguedField): string {
  const where = nested === null ? '' : ` in @${nested}(…)`;
  const shown = examples.map((example) => JSON.stringify(example)).join(', ');
  return `${path}: ${type}${where}${shown === '' ? '' : `, such as ${shown}`}`;
}
