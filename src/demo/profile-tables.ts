// Tables of the demo company's profile management: types of profiles, their attributes, and the
// words of values. All of it is fictional.
import { DEPARTMENTS, PLACES } from './company-tables.ts';

/** A profile type; profiles refer to its uid. */
export interface TypePlan {
  readonly uid: string;
  readonly name: string;
  readonly category: string;
  /** Uids of the attributes that form the name of a profile. */
  readonly naming: readonly string[];
  /** Uids of the attributes that identify duplicates. */
  readonly duplicates: readonly string[];
}

export const TYPES: readonly TypePlan[] = [
  {
    ...{ uid: 'vendor', name: 'Vendor', category: 'organization' },
    ...{ naming: ['organization_name'], duplicates: ['registration_number'] },
  },
  {
    ...{ uid: 'employee', name: 'Employee', category: 'employee' },
    ...{ naming: ['first_name', 'last_name'], duplicates: ['worker_number'] },
  },
  {
    ...{ uid: 'contractor', name: 'Contractor', category: 'non-employee' },
    ...{ naming: ['first_name', 'last_name'], duplicates: ['last_name', 'email'] },
  },
  {
    ...{ uid: 'assignment', name: 'Assignment', category: 'assignment' },
    ...{ naming: ['assignment_title'], duplicates: [] },
  },
];

/** An attribute as the API accepts it, with the labels of its options. */
export interface AttributePlan {
  readonly uid: string;
  readonly label: string;
  readonly data_type: string;
  readonly date_format?: string;
  readonly allow_multiple_selections?: true;
  /** Uid of the profile type it belongs to, or whose profiles are its values. */
  readonly profile_type_id?: string;
  readonly validations_attributes?: readonly { readonly validation_method: string }[];
  readonly options?: readonly string[];
}

type More = Omit<AttributePlan, 'uid' | 'label' | 'data_type'>;

function plan(uid: string, label: string, data_type: string, more: More = {}): AttributePlan {
  return { uid, label, data_type, ...more };
}

const must = (...methods: string[]): More => ({
  validations_attributes: methods.map((validation_method) => ({ validation_method })),
});
const several: More = { allow_multiple_selections: true };

export const WORK_MODES = ['On site', 'Hybrid', 'Remote'] as const;
export const TRAININGS = ['Safety', 'Data protection', 'Code of conduct', 'Export control'];
export const SKILLS = [
  ...['Welding', 'Forklift', 'Heights', 'First aid', 'SAP', 'Java', 'Python', 'Networks'],
  ...['Auditing', 'Translation', 'Calibration', 'Customs', 'Payroll', 'Data modelling'],
];

/** At least one attribute of each class. */
export const ATTRIBUTES: readonly AttributePlan[] = [
  plan('first_name', 'First name', 'text field'),
  plan('last_name', 'Last name', 'text field'),
  plan('worker_number', 'Worker number', 'text field', must('unique')),
  plan('email', 'Email', 'text field', must('email_format', 'unique')),
  plan('phone', 'Phone', 'text field'),
  plan('job_title', 'Job title', 'text field'),
  plan('hours_per_week', 'Hours per week', 'text field', must('numericality')),
  plan('sync_state', 'Sync state', 'text field'),
  plan('purpose', 'Purpose of the engagement', 'text area'),
  plan('start_date', 'Start date', 'date'),
  plan('end_date', 'End date', 'date', { ...must('required'), profile_type_id: 'contractor' }),
  plan('badge_expires', 'Badge expires', 'date', { date_format: 'yyyy-mm-dd' }),
  plan('checked_on', 'Background check', 'date', { date_format: 'dd/mm/yyyy' }),
  plan('department', 'Department', 'drop-down', { options: DEPARTMENTS.map(({ name }) => name) }),
  plan('city', 'City', 'drop-down', { options: PLACES.map(({ city }) => city) }),
  plan('work_mode', 'Work mode', 'radio buttons', { options: WORK_MODES }),
  plan('trainings', 'Trainings', 'check boxes', { options: TRAININGS }),
  plan('skills', 'Skills', 'tags', { options: SKILLS }),
  plan('organization', 'Organization', 'profile select', { profile_type_id: 'vendor' }),
  plan('host', 'Host', 'profile search', { profile_type_id: 'employee' }),
  plan('worker', 'Worker', 'profile search', { profile_type_id: 'contractor' }),
  plan('sponsor', 'Sponsor', 'owner select'),
  plan('vendor_owner', 'Vendor owner', 'owner search'),
  plan('deputy', 'Deputy of the sponsor', 'contributor select'),
  plan('reviewers', 'Reviewers', 'contributor search', several),
  plan('contract_file', 'Signed contract', 'attachment'),
  plan('organization_name', 'Organization name', 'text field', {
    ...must('required'),
    profile_type_id: 'vendor',
  }),
  plan('registration_number', 'Registration number', 'text field', must('unique')),
  plan('assignment_title', 'Assignment', 'text field', {
    ...must('required'),
    profile_type_id: 'assignment',
  }),
];

/** Label, position, points. */
export const RISK_LEVELS: readonly (readonly [label: string, order: number, points: number])[] = [
  ['Low', 1, 10],
  ['Medium', 2, 40],
  ['High', 3, 70],
  ['Critical', 4, 95],
];

/** A role with its groups. */
export interface RolePlan {
  readonly uid: string;
  readonly name: string;
  readonly type: 'NeprofileRole' | 'NeaccessRole';
  readonly groups: readonly string[];
}

const role = (uid: string, name: string, ...groups: string[]): RolePlan => ({
  ...{ uid, name, groups, type: 'NeprofileRole' },
});

export const ROLES: readonly RolePlan[] = [
  role('profile-administrator', 'Profile Administrator', 'Administrators'),
  role('sponsor', 'Contractor Sponsor', 'Sponsors'),
  role('vendor-coordinator', 'Vendor Coordinator', 'Procurement', 'Sponsors'),
  role('profile-auditor', 'Profile Auditor', 'Auditors'),
  { ...role('vendor-delegate', 'Vendor Delegate', 'Vendors'), type: 'NeaccessRole' },
];

/** First words of vendor names; VENDOR_TRADES are the others. */
export const VENDOR_NAMES: readonly string[] =
  'Alder, Basalt, Cobalt, Drumlin, Esker, Fennel, Granite, Heron, Isobar, Juniper, Kestrel, Larch, Meridian, Northwind, Osprey, Pumice, Quarry, Rowan, Sandpiper, Tamarack, Umber, Vesper, Willow, Yarrow, Zephyr'.split(
    ', ',
  );
export const VENDOR_TRADES: readonly string[] =
  'Consulting, Staffing, Logistics, Engineering, Facilities, Security Services, Analytics, Training, Maintenance, Interim Services'.split(
    ', ',
  );

/** Purposes of engagements of contractors. */
export const PURPOSES_OF_WORK: readonly string[] = [
  'Covers a vacancy until it is filled.',
  'Moves the old warehouse system to the new one.',
  'Maintains the test benches of line two.',
  'Audits suppliers before the renewal of contracts.',
  'Trains the night shift on the new machines.',
  'Supports the quarter end.',
];

/** Names of assignments, which a number follows. */
export const ASSIGNMENTS: readonly string[] =
  'Plant Upgrade, Ledger Migration, Site Survey, Line Maintenance, Security Review, Data Cleanup, Summer Relief, Customs Backlog'.split(
    ', ',
  );
