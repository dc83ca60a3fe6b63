// Writes the software bill of materials (SBOM) of the shipped packages, and checks it against the
// lock file. Removes development packages itself, since npm's --omit dev also removes shipped
// packages that a development tool needs, too (npm 11.19: pg and yaml were missing).
//   node dist/scripts/sbom.js [file]
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The members of a CycloneDX document that are used here. */
export interface Sbom {
  readonly bomFormat?: string;
  readonly specVersion?: string;
  readonly components?: readonly SbomComponent[];
  readonly dependencies?: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

export interface SbomComponent {
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string } }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** The members of package-lock.json that are used here. */
export interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      { readonly version?: string; readonly dev?: boolean; readonly optional?: boolean }
    >
  >;
}

/** Licences that are compatible with an MIT-licensed service. */
const LICENCES = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
]);

/** Checks an SBOM; returns one sentence for each fault. */
export function sbomFaults(
  sbom: Sbom,
  lock: LockFile,
  dependencies: Readonly<Record<string, string>>,
): string[] {
  const faults: string[] = [];
  if (sbom.bomFormat !== 'CycloneDX' || !/^1\.\d+$/.test(sbom.specVersion ?? '')) {
    faults.push('It is no CycloneDX 1.x document.');
  }
  const components = sbom.components ?? [];
  for (const component of components) faults.push(...componentFaults(component));
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  for (const shipped of shippedPackages(lock)) {
    if (!listed.has(shipped)) faults.push(`${shipped} is not in it.`);
  }
  for (const [name, version] of Object.entries(dependencies)) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) faults.push(`${name} is not pinned: ${version}.`);
  }
  return faults;
}

/** `name@version` of each package that is not only a development package. */
function shippedPackages(lock: LockFile): Set<string> {
  const shipped = new Set<string>();
  for (const [path, { version, dev, optional }] of Object.entries(lock.packages)) {
    if (path === '' || dev === true || optional === true) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    shipped.add(`${name}@${version}`);
  }
  return shipped;
}

/** Removes the packages that are not shipped. */
export function shippedPart(sbom: Sbom, lock: LockFile): Sbom {
  const shipped = shippedPackages(lock);
  const components = sbom.components?.filter(({ name, version }) =>
    shipped.has(`${name}@${version}`),
  );
  // npm's references are `name@version`, including that of the root.
  const isShipped = (ref: string) => shipped.has(ref);
  const [root, ...others] = sbom.dependencies ?? [];
  const dependencies = [
    ...(root === undefined ? [] : [root]),
    ...others.filter(({ ref }) => isShipped(ref)),
  ];
  return {
    ...sbom,
    components: components ?? [],
    dependencies: dependencies.map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn?.filter(isShipped) ?? [],
    })),
  };
}

function componentFaults({ name, version, purl, licenses, hashes }: SbomComponent): string[] {
  const faults: string[] = [];
  const ids = (licenses ?? []).map(({ license }) => license?.id ?? 'none');
  if (ids.length === 0 || !ids.every((id) => LICENCES.has(id))) {
    faults.push(`${name} has the licence ${ids.join(', ') || 'none'}.`);
  }
  if (purl !== `pkg:npm/${name.replace('@', '%40')}@${version}`) {
    faults.push(`${name} has no address of a registry: ${purl}.`);
  }
  if (!hashes?.some(({ alg, content }) => alg === 'SHA-512' && content.length === 128)) {
    faults.push(`${name} has no SHA-512 hash.`);
  }
  return faults;
}

/** Creates the SBOM of the lock file in the working directory; needs no network. */
export function makeSbom(lock: LockFile): Sbom {
  const flags = ['--package-lock-only', '--sbom-type', 'application'];
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', ...flags], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return shippedPart(JSON.parse(text) as Sbom, lock);
}

function main([file]: readonly string[]): void {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;
  const sbom = makeSbom(lock);
  const faults = sbomFaults(sbom, lock, dependencies);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  process.stdout.write(`${sbom.components?.length} packages, ${faults.length} faults\n`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
