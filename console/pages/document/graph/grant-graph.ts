// The graph of a role, an access profile or an entitlement: what it grants, and what grants it.

import { firstText, valuesAt } from '../../../model/document-value.ts';
import type { Document } from '../../../model/wire.ts';
import { type AccessGraph, GraphBuilder } from './access-graph.ts';

/** Documents around the one of the page; each has its references. */
export interface GrantDocuments {
  readonly roles: readonly Document[];
  readonly accessProfiles: readonly Document[];
  readonly entitlements: readonly Document[];
}

/** The kind of a document that has such a graph. */
export type GrantKind = 'role' | 'accessProfile' | 'entitlement';

/**
 * Joins documents by their references.
 * @param subject the document of the page, also one of `documents`
 * @param documents those that are on a path through the subject
 */
export function grantGraph(
  kind: GrantKind,
  subject: Document,
  documents: GrantDocuments,
): AccessGraph {
  const builder = new GraphBuilder();
  const key = builder.addReference(kind, subject);
  // Documents say more of a thing than references to it, so they are added first.
  for (const one of documents.entitlements) builder.addReference('entitlement', one);
  const isOnPath = (reference: unknown, of: GrantKind) =>
    kind === 'role' || of !== kind || firstText(reference, 'id') === firstText(subject, 'id');
  for (const profile of documents.accessProfiles) {
    const profileKey = builder.addReference('accessProfile', profile);
    const source = valuesAt(profile, 'source')[0] ?? null;
    for (const one of valuesAt(profile, 'entitlements'))
      if (isOnPath(one, 'entitlement'))
        builder.connect(profileKey, builder.addReference('entitlement', one, source));
  }
  const profileIds = new Set(documents.accessProfiles.map((profile) => firstText(profile, 'id')));
  for (const role of documents.roles) {
    const roleKey = builder.addReference('role', role);
    for (const one of referencesOf(role, 'accessProfiles'))
      if (kind === 'role' || profileIds.has(firstText(one, 'id')))
        builder.connect(roleKey, builder.addReference('accessProfile', one));
    for (const one of referencesOf(role, 'entitlements'))
      if (kind === 'role' || (kind === 'entitlement' && isOnPath(one, 'entitlement')))
        builder.connect(roleKey, builder.addReference('entitlement', one));
  }
  return builder.build(key);
}

/** References of a role, with those of its dimensions. */
export function referencesOf(
  role: Document,
  member: 'accessProfiles' | 'entitlements',
): readonly unknown[] {
  return [...valuesAt(role, member), ...valuesAt(role, `dimensions.${member}`)];
}
