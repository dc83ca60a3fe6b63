// The overview of a document: who has it if it is access, then the attributes and members that the
// card above does not show. Identifiers are folded away.
import type { IndexName } from '../../../src/query/query.ts';
import { valuesAt } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';
import { CARD, cardAttributes, titleOf } from './card.ts';
import { Facts, isFact } from './facts.tsx';
import { ReachSection } from './reach-section.tsx';

/** Members that name things for programs. */
const IDENTIFIER = /^_|^(?:id|pod|org|type|hash|uid|trackingNumber|details|stack|synced)$|Ids?$/;
/** Attributes that do. */
const ATTRIBUTE_IDENTIFIER = /Ids?$/;
/** Numbers of elements of the lists that the tabs show; the document may count other ones. */
const COUNT = /Count$/;

export interface OverviewProps {
  readonly index: IndexName;
  readonly document: Document;
}

export function Overview({ index, document }: OverviewProps) {
  const [attributes] = valuesAt(document, 'attributes');
  const hasAttributes = typeof attributes === 'object' && attributes !== null;
  const own = hasAttributes ? (attributes as Document) : {};
  // Many identities have the same value as a member and as an attribute.
  const said = new Map(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  const repeated = Object.keys(document).filter(
    (name) => said.has(name.toLowerCase()) && said.get(name.toLowerCase()) === document[name],
  );
  const attributeIds = Object.keys(own).filter((name) => ATTRIBUTE_IDENTIFIER.test(name));
  const omittedAttributes = [...attributeIds, ...cardAttributes(index, document)];
  const identifiers = Object.keys(document).filter((name) => IDENTIFIER.test(name));
  const ids = Object.fromEntries([
    ...identifiers.map((name) => [name, document[name]]),
    ...attributeIds.map((name) => [name, own[name]]),
  ]);
  const omitted = [
    ...['attributes', 'description', ...identifiers, ...repeated, ...CARD[index]],
    ...Object.keys(document).filter((name) => COUNT.test(name)),
    ...['name', 'displayName'].filter((name) => document[name] === titleOf(document)),
  ];
  const details = Object.entries(document).filter(
    ([name, value]) => !omitted.includes(name) && isFact(value),
  );
  return (
    <>
      {(index === 'roles' || index === 'accessprofiles' || index === 'entitlements') && (
        <ReachSection index={index} document={document} />
      )}
      {Object.entries(own).some(
        ([name, value]) => !omittedAttributes.includes(name) && isFact(value),
      ) && (
        <>
          <h2>Attributes</h2>
          <Facts of={own} omit={omittedAttributes} />
        </>
      )}
      {details.length > 0 && (
        <>
          <h2>Details</h2>
          <Facts of={document} omit={omitted} />
        </>
      )}
      <details class="identifiers">
        <summary>Identifiers</summary>
        <Facts of={ids} />
      </details>
    </>
  );
}
