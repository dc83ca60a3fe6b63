// What the pages of roles, access profiles and entitlements have beyond their facts: what is in them, what they are
// in, and who holds them.
import type { IndexName } from '../../src/query/query.ts';
import type { Document } from '../api/wire.ts';
import { writtenValue } from '../search/completion.ts';
import { firstText } from '../search/document-value.ts';
import { labelOf } from '../search/kinds.ts';
import { columnsFound, ElementTable } from './element-table.tsx';
import { Related } from './related.tsx';
import type { Section } from './section.ts';

/** Arrays of a document that hold objects, a section for each. */
export function arraySections(document: Document): Section[] {
  return Object.entries(document)
    .filter(([, value]) => Array.isArray(value) && value.some((item) => typeof item === 'object'))
    .map(([member, value]) => {
      const elements = value as unknown[];
      const label = labelOf(member);
      const columns = columnsFound(member, elements);
      return {
        name: member,
        label,
        count: elements.length,
        Body: () => <ElementTable label={label} elements={elements} columns={columns} />,
      };
    });
}

/** Who holds a piece of access, and what else it is part of. */
export function holderSections(index: IndexName, document: Document): Section[] {
  const id = writtenValue(firstText(document, 'id'));
  const holders = related('holders', 'Who holds it', 'identities', `@access(id:${id})`);
  switch (index) {
    case 'roles':
      return [holders];
    case 'accessprofiles':
      return [holders, related('in-roles', 'In roles', 'roles', `@accessProfiles(id:${id})`)];
    case 'entitlements':
      return [
        holders,
        related('in-profiles', 'In access profiles', 'accessprofiles', `@entitlements(id:${id})`),
        related('in-roles', 'In roles', 'roles', `@entitlements(id:${id})`),
      ];
    case 'identities':
    case 'events':
    case 'accountactivities':
      return [];
  }
}

function related(name: string, label: string, index: IndexName, query: string): Section {
  return { name, label, Body: () => <Related title={label} index={index} query={query} /> };
}
