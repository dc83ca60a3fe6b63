// The areas of the public API that Cardea does not have, or of which it only reads: programs that
// call one get a cause that says so, instead of a path that looks misspelt.
import { PATH_VERSIONS } from './path-versions.ts';

/** The first segments of the paths of each area, below every version and before `/v1`. */
export const UNSERVED_AREAS: Readonly<Record<string, readonly string[]>> = {
  'access requests': [
    ...['access-requests', 'access-request-administration', 'access-request-approvals'],
    ...['access-request-config', 'access-request-identity-metrics', 'access-request-status'],
    ...['requestable-objects', 'source-apps', 'user-apps', 'generic-approvals', 'approvals'],
    'reassignment-configurations',
  ],
  certifications: [
    ...['certifications', 'certification-tasks', 'certification-campaigns', 'campaigns'],
    ...['campaign-filters', 'campaign-templates'],
  ],
  transforms: ['transforms'],
  workflows: [
    ...[
      'workflows',
      'workflow-executions',
      'workflow-library',
      'triggers',
      'trigger-subscriptions',
    ],
    ...['trigger-invocations', 'launchers'],
  ],
  forms: ['form-definitions', 'form-instances'],
  tasks: ['task-status', 'reports'],
  'work items': ['work-items'],
  'identity profiles': ['identity-profiles', 'identity-attributes', 'auth-profiles'],
  'identity history': ['historical-identities', 'identities-accounts', 'public-identities-config'],
  'governance groups': ['workgroups'],
  segments: ['segments', 'data-segments'],
  'non-employees': [
    ...['non-employee-approvals', 'non-employee-records', 'non-employee-requests'],
    'non-employee-sources',
  ],
  'separation of duties': ['sod-policies', 'sod-violation-report', 'sod-violations'],
  'role mining and access insights': [
    ...['role-insights', 'role-mining-potential-roles', 'role-mining-sessions', 'common-access'],
    ...['ai-access-request-recommendations', 'outlier-feature-summaries', 'outlier-summaries'],
    ...['outliers', 'peer-group-strategies', 'recommendations'],
    ...['suggested-entitlement-description-approvals', 'suggested-entitlement-descriptions'],
    'suggested-entitlement-description-assignments',
    'suggested-entitlement-description-batches',
  ],
  'account and source usage': ['account-aggregations', 'account-usages', 'source-usages'],
  connectors: [
    ...['connectors', 'connector-rules', 'vendor-connector-mappings', 'managed-clients'],
    ...['managed-clusters', 'multihosts', 'discovered-applications'],
    ...['manual-discover-applications', 'manual-discover-applications-template'],
    ...['service-desk-integrations', 'sim-integrations'],
  ],
  'machine identities': ['machine-accounts', 'machine-identities'],
  passwords: [
    ...['custom-password-instructions', 'generate-password-reset-token', 'password-change-status'],
    ...['password-dictionary', 'password-org-config', 'password-policies', 'password-sync-groups'],
    ...['query-password-info', 'set-password'],
  ],
  notifications: [
    ...['mail-from-attributes', 'notification-preferences', 'notification-template-context'],
    ...['notification-template-defaults', 'notification-templates', 'send-test-notification'],
    ...['verified-domains', 'verified-from-addresses'],
  ],
  tags: ['tagged-objects', 'tags', 'access-model-metadata'],
  'configuration of the tenant': [
    ...['auth-org', 'brandings', 'configuration-hub', 'icons', 'mfa', 'org-config', 'sp-config'],
    ...['tenant', 'translation-catalogs', 'ui-metadata'],
  ],
};

/** The areas of which Cardea serves a part: it reads, and does not change what comes from search. */
export const READ_ONLY_AREAS: readonly string[] = [
  ...['identities', 'public-identities', 'accounts', 'roles', 'access-profiles', 'entitlements'],
  ...['sources', 'account-activities'],
];

const AREA_OF_SEGMENT: ReadonlyMap<string, string> = new Map(
  Object.entries(UNSERVED_AREAS).flatMap(([area, segments]) =>
    segments.map((segment): [string, string] => [segment, area]),
  ),
);
const VERSIONED = new RegExp(`^(?:${PATH_VERSIONS.join('|')})/([^/?]+)`);
const UNVERSIONED = /^\/([^/?]+)\/v1(?![^/?])/;

/**
 * The cause for a path that is not served, or not with its method.
 * @returns null where the path belongs to none of these areas
 */
export function unservedCause(path: string): string | null {
  const segment = (VERSIONED.exec(path) ?? UNVERSIONED.exec(path))?.[1] ?? '';
  const area = AREA_OF_SEGMENT.get(segment);
  if (area !== undefined) return `${area}: Cardea does not have this area of the public API`;
  if (!READ_ONLY_AREAS.includes(segment)) return null;
  const name = segment.replace(/-/g, ' ');
  return `${name}: Cardea does not have this operation, it only reads ${name}`;
}
