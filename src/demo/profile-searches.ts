// The saved advanced searches of the demo company: one for each kind of rule, each with results on
// the reference date.
import type { ResourceKeys, WireRecord } from './profile-keys.ts';

/** @param vendor a vendor with many contractors */
export function demoSearches(
  keys: ResourceKeys,
  vendor: { readonly id: string; readonly name: string },
): readonly WireRecord[] {
  const type = { type: 'ProfileTypeRule', comparison_operator: '==', value: 'contractor' };
  const status = (comparison_operator: string, value: string) => ({
    ...{ type: 'ProfileStatusRule', comparison_operator, value },
  });
  const attribute = (
    uid: string,
    comparison_operator: string,
    value: string | undefined,
    more: WireRecord = {},
  ) => ({
    ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute' },
    ...{ condition_object_id: keys.id('attribute', uid), comparison_operator },
    ...(value === undefined ? {} : { value }),
    ...more,
  });
  const search = (uid: string, label: string, ...rules: WireRecord[]): WireRecord => ({
    ...{ ...keys.of('search', uid), label, condition_rules_attributes: rules },
  });
  const risk = { type: 'RiskRule', comparison_operator: '>', secondary_value: 'OverallRisk' };
  return [
    search(
      ...(['leaving-soon', 'Contractors who leave within 30 days'] as const),
      ...[type, status('==', 'Active'), attribute('end_date', '<', '30 after')],
    ),
    search(
      ...(['leaving-without-sponsor', 'Leaving within 30 days, without a sponsor'] as const),
      ...[type, status('==', 'Active'), attribute('end_date', '<', '30 after')],
      attribute('sponsor', '==', ''),
    ),
    search(
      ...(['not-synced', 'Active contractors who are not synced yet'] as const),
      ...[type, status('==', 'Active'), attribute('sync_state', '!=', 'synced')],
    ),
    search(
      ...(['contractors-of-a-vendor', `Contractors of ${vendor.name}`] as const),
      ...[type, attribute('organization', 'include?', vendor.id)],
    ),
    search(
      ...(['late-leavers', 'Active after the end of the contract'] as const),
      ...[type, status('==', 'Active'), attribute('end_date', 'before', 'Today')],
    ),
    search(
      ...(['checks-overdue', 'Background check more than two years ago'] as const),
      ...[type, status('!=', 'Terminated'), attribute('checked_on', '>', '730 before')],
    ),
    search(
      ...(['badge-too-short', 'Badge expires before the contract ends'] as const),
      type,
      attribute('badge_expires', 'before', undefined, {
        secondary_attribute_type: 'NeAttribute',
        secondary_attribute_id: keys.id('attribute', 'end_date'),
      }),
    ),
    search(
      ...(['risky-remote', 'Remote contractors above medium risk'] as const),
      attribute('work_mode', '==', 'Remote'),
      { ...risk, value: keys.id('riskLevel', 'medium') },
    ),
    search(
      ...(['auditors', 'Skilled in auditing, with a title that says so'] as const),
      attribute('skills', 'include?', 'Auditing'),
      attribute('job_title', 'include?', 'a'),
    ),
  ];
}
