// The heads of columns for people.

/** The label of a field: the last part of its path, as words. The name of an attribute may have dots. */
export function labelOf(field: string): string {
  const [, attribute] = /(?:^|\.)attributes\.(.+)$/.exec(field) ?? [];
  const names = attribute === undefined ? field.split('.') : [attribute.replaceAll('.', ' ')];
  const isName = names.at(-1) === 'name' && names.length > 1;
  return memberLabel(names.at(isName ? -2 : -1) ?? '');
}

/** The name of one member as words. */
export function memberLabel(name: string): string {
  const words = name
    .replaceAll('.', ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The labels of columns, each once: of several with the same label each has its name. */
export function headsOf(
  columns: readonly string[],
  label: (column: string) => string = labelOf,
): readonly string[] {
  const labels = columns.map(label);
  return columns.map((column, at) => {
    const text = labels[at] ?? column;
    return labels.indexOf(text) === labels.lastIndexOf(text) ? text : column;
  });
}
