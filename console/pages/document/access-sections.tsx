// Sections of the pages of roles, access profiles and entitlements: what they contain, what
// contains them, and the identities that have them.
import type { IndexName } from '../../../src/query/query.ts';
import { printValue } from '../../model/completion.ts';
import { firstText } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import type { Document } from '../../model/wire.ts';
import { columnsFrom, ElementTable } from './element-table.tsx';
import { Related } from './related.tsx';
import type { Section } from './section.ts';

/** One section for each array of objects in a document. */
export function arraySections(document: Document): Section[] {
  return Object.entries(document)
    .filter(([, value]) => Array.isArray(value) && value.some((item) => typeof item === 'object'))
    .map(([member, value]) => {
      const elements = value as unknown[];
      const label = labelOf(member);
      const columns = columnsFrom(member, elements);
      return {
        name: member,
        label,
        count: elements.length,
        Body: () => <ElementTable label={label} elements={elements} columns={columns} />,
      };
    });
}

/** Sections with the identities that have an access item, and with the items that contain it. */
export function holderSections(index: IndexName, document: Document): Section[] {
  const id = printValue(firstText(document, 'id'));
  const holders = related('holders', 'Identities', 'identities', `@access(id:${id})`);
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
  const Body = () => <Related title={label} index={index} query={query} />;
  return { name, label, about: [index], Body };
}
