// Finds the file of a thread or a process that another file starts.

/**
 * The URL of the program `name` in the folder of a module. Compiled files and the bundle end in
 * `.js`; if Node runs the sources directly, both files end in `.ts`.
 * @param moduleUrl `import.meta.url` of the module that starts it
 */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}
