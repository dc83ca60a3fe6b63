// The licences of packages whose code is in the product, from their own files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly contributors?: readonly (string | { readonly name: string })[];
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
const RULE = '-'.repeat(80);

/** The folders of the packages that paths of files lead into, in their order, without repeats. */
export function packageFolders(paths: readonly string[]): string[] {
  const folders = paths.map((path) => PACKAGE_FOLDER.exec(path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/**
 * The licences of the packages in the folders, sorted by name, as one text.
 * @throws Error if a package has no licence text
 */
export function licencesText(folders: readonly string[]): string {
  const sections = new Map(folders.map(licenceOf));
  const names = [...sections.keys()].sort();
  return [
    'Cardea contains code of the packages below, under these licences.\n',
    ...names.map((name) => sections.get(name)),
  ].join(`\n${RULE}\n\n`);
}

/** @returns `name@version`, and the text about the package */
function licenceOf(folder: string): [name: string, text: string] {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
  const name = `${about.name}@${about.version}`;
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) {
    if (about.license !== 'MIT') throw new Error(`${name} has no licence text in ${folder}`);
    texts.push(`Copyright ${authorsOf(about)}`, MIT);
  }
  return [name, `${name} (${about.license})\n\n${texts.join('\n\n')}\n`];
}

function authorsOf({ name, author, contributors = [] }: PackageJson): string {
  const people = [...(author === undefined ? [] : [author]), ...contributors];
  const names = people.map((person) => (typeof person === 'string' ? person : person.name));
  return names.length === 0 ? `the authors of ${name}` : names.join(', ');
}
