// `npm run bench -- NAME`: runs the program of this name in this folder; without a name the comparison
// (run.ts). The other arguments are those of the program.
const NAMES: readonly string[] = [
  ...['abuse', 'console', 'drills', 'growth', 'hostile', 'kernels', 'kinds', 'lag', 'lists'],
  ...['processes', 'profiles', 'rates', 'run', 'soak', 'tenants', 'views', 'writes'],
];

const [, , first = ''] = process.argv;
const isNamed = first !== '' && !first.startsWith('-');
if (isNamed) process.argv.splice(2, 1);
const name = isNamed ? first : 'run';
if (!NAMES.includes(name)) {
  console.error(`There is no benchmark ${JSON.stringify(name)}, only ${NAMES.join(', ')}.`);
  process.exit(1);
}
await import(`./${name}.js`);
