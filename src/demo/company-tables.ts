// Tables of the demo company: departments, places, systems and the words in names of its access.
// All of it is fictional; systems are named by function, not by vendor.

export interface Department {
  readonly name: string;
  /** Upper case, used in codes and cost centres. */
  readonly code: string;
  /** Relative size. */
  readonly weight: number;
  /** Titles of members who are not managers. */
  readonly titles: readonly string[];
}

function department(name: string, code: string, weight: number, titles: string): Department {
  return { name, code, weight, titles: titles.split(', ') };
}

/** The number of the department that runs the systems. */
export const TECHNOLOGY = 7;

export const DEPARTMENTS: readonly Department[] = [
  department(
    'Engineering',
    'ENG',
    18,
    'Software Engineer, Test Engineer, Site Reliability Engineer, Firmware Engineer',
  ),
  department('Sales', 'SAL', 13, 'Account Executive, Sales Engineer, Inside Sales Representative'),
  department(
    'Customer Support',
    'SUP',
    11,
    'Support Specialist, Support Engineer, Customer Success Associate',
  ),
  department('Manufacturing', 'MFG', 10, 'Process Technician, Line Operator, Tooling Engineer'),
  department('Logistics', 'LOG', 8, 'Warehouse Associate, Dispatch Planner, Customs Specialist'),
  department('Operations', 'OPS', 6, 'Operations Analyst, Planner, Scheduler'),
  department('Finance', 'FIN', 6, 'Accountant, Financial Analyst, Payroll Specialist, Auditor'),
  department(
    'Information Technology',
    'ITS',
    5,
    'Systems Administrator, Network Engineer, Service Desk Analyst, Database Administrator',
  ),
  department('Marketing', 'MKT', 4, 'Campaign Specialist, Content Editor, Brand Designer'),
  department('Research', 'RES', 4, 'Research Scientist, Laboratory Technician, Materials Analyst'),
  department('Human Resources', 'HRS', 3, 'Recruiter, Benefits Specialist, People Partner'),
  department('Product', 'PRD', 3, 'Product Owner, User Researcher, Interaction Designer'),
  department('Data and Analytics', 'DAT', 3, 'Data Analyst, Data Engineer, Statistician'),
  department('Quality', 'QUA', 2, 'Quality Inspector, Calibration Technician'),
  department('Procurement', 'PRO', 2, 'Buyer, Category Specialist, Vendor Analyst'),
  department('Security', 'SEC', 2, 'Security Analyst, Identity Engineer, Incident Responder'),
  department('Legal', 'LEG', 1, 'Counsel, Paralegal, Contract Specialist'),
  department('Compliance', 'CMP', 1, 'Compliance Analyst, Controls Tester, Privacy Specialist'),
];

export interface Place {
  readonly city: string;
  /** ISO 3166 code. */
  readonly country: string;
  readonly region: string;
  readonly dial: string;
}

function place(city: string, country: string, region: string, dial: string): Place {
  return { city, country, region, dial };
}

export const PLACES: readonly Place[] = [
  place('Austin', 'US', 'Americas', '+1 512'),
  place('London', 'GB', 'EMEA', '+44 20'),
  place('München', 'DE', 'EMEA', '+49 89'),
  place('Bengaluru', 'IN', 'APAC', '+91 80'),
  place('São Paulo', 'BR', 'Americas', '+55 11'),
  place('Toronto', 'CA', 'Americas', '+1 416'),
  place('Kraków', 'PL', 'EMEA', '+48 12'),
  place('Singapore', 'SG', 'APAC', '+65 6'),
  place('Lyon', 'FR', 'EMEA', '+33 4'),
  place('Ōsaka', 'JP', 'APAC', '+81 6'),
  place('Dublin', 'IE', 'EMEA', '+353 1'),
  place('Göteborg', 'SE', 'EMEA', '+46 31'),
  place('Ciudad de México', 'MX', 'Americas', '+52 55'),
  place('Nairobi', 'KE', 'EMEA', '+254 20'),
];

export interface SourceKind {
  readonly name: string;
  /** The connector, as in `source.type` of an account. */
  readonly type: string;
  /** Account attribute with the values of held entitlements; null: no entitlements. */
  readonly attribute: string | null;
  readonly schema: string;
  /** Codes of the departments that use it; empty: all. */
  readonly users: readonly string[];
  /** Subjects of its entitlements. */
  readonly subjects: readonly string[];
  /** Names of its apps on the launchpad. */
  readonly apps: readonly string[];
  readonly passwords: boolean;
}

const listed = (text: string): string[] => (text === '' ? [] : text.split(', '));

/** A source with entitlements in one account attribute. */
function system(
  [name, type]: readonly [name: string, type: string],
  [attribute, schema]: readonly [attribute: string, schema: string],
  parts: { readonly users?: string; readonly subjects: string; readonly apps?: string },
): SourceKind {
  return {
    name,
    type,
    attribute,
    schema,
    users: listed(parts.users ?? ''),
    subjects: listed(parts.subjects),
    apps: listed(parts.apps ?? ''),
    passwords: !type.startsWith('SaaS'),
  };
}

/** A source with accounts only. */
function register(name: string, type: string, passwords: boolean): SourceKind {
  return {
    name,
    type,
    attribute: null,
    schema: 'account',
    users: [],
    subjects: [],
    apps: [],
    passwords,
  };
}

/** The first four sources are special: directory, two registers of people, internal accounts. */
export const DIRECTORY = 0;
export const STAFF_REGISTER = 1;
export const CONTRACTOR_REGISTER = 2;
export const INTERNAL = 3;

export const SOURCES: readonly SourceKind[] = [
  system(['Active Directory', 'Active Directory - Direct'], ['memberOf', 'group'], {
    subjects:
      'Files, Shared Mailbox, Printers, Remote Desktop, Calendars, Project Rooms, Archive, VPN',
    apps: 'Mail and Calendar, File Shares',
  }),
  register('HR Core', 'HR SaaS', false),
  register('Contractor Register', 'Non-Employee', false),
  register('IdentityNow', 'IdentityNowConnector', true),
  system(['Building Access', 'SaaS Badge System'], ['zones', 'zone'], {
    subjects:
      'Main Entrance, Laboratory, Data Center, Warehouse, Parking, Archive Room, Night Access',
    apps: 'Badge Self Service',
  }),
  system(['Learning Hub', 'SaaS Learning'], ['audiences', 'audience'], {
    subjects: 'Onboarding, Safety, Languages, Leadership, Certification, Workshops',
    apps: 'Learning Hub',
  }),
  system(['Sales Cloud', 'SaaS CRM'], ['permissionSets', 'permissionSet'], {
    users: 'SAL, MKT, SUP',
    subjects: 'Opportunities, Leads, Accounts, Quotes, Forecasts, Campaigns, Partner Portal',
    apps: 'Sales Cloud, Forecasts',
  }),
  system(['Service Desk', 'SaaS ITSM'], ['roles', 'role'], {
    users: 'ITS, SUP, SEC, HRS',
    subjects: 'Tickets, Changes, Problems, Assets, Knowledge Base, Service Catalog',
    apps: 'Service Desk',
  }),
  system(['Ledger ERP', 'ERP - Direct'], ['authorizations', 'authorization'], {
    users: 'FIN, PRO, OPS, MFG, LOG',
    subjects:
      'Invoices, Purchase Orders, Vendors, Payments, Journal Entries, Cost Centers, Inventory, Payroll',
    apps: 'Ledger ERP, Expenses',
  }),
  system(['Code Forge', 'SaaS Source Control'], ['teams', 'team'], {
    users: 'ENG, PRD, ITS, RES',
    subjects: 'Repositories, Pipelines, Releases, Packages, Secrets, Runners',
    apps: 'Code Forge',
  }),
  system(['Cloud Console', 'SaaS Cloud IAM'], ['groups', 'group'], {
    users: 'ENG, ITS, SEC, DAT',
    subjects: 'Compute, Storage, Networks, Keys, Billing, Databases, Logs',
    apps: 'Cloud Console',
  }),
  system(['Data Warehouse', 'JDBC'], ['databaseRoles', 'databaseRole'], {
    users: 'DAT, FIN, MKT, RES',
    subjects: 'Customer Facts, Sales Facts, Cost Facts, Web Traffic, Experiments, Measurements',
    apps: 'Reports',
  }),
  system(['Plant Control', 'Web Services'], ['stations', 'station'], {
    users: 'MFG, QUA, LOG',
    subjects: 'Assembly Line, Paint Shop, Test Bench, Recipes, Maintenance Plans, Shipping Dock',
    apps: 'Plant Control',
  }),
  system(['Document Vault', 'SaaS Documents'], ['libraries', 'library'], {
    users: 'LEG, CMP, HRS, PRO, QUA',
    subjects: 'Contracts, Policies, Personnel Files, Audit Evidence, Retention Holds, Minutes',
    apps: 'Document Vault',
  }),
  system(['Mainframe', 'Mainframe - Full'], ['groups', 'group'], {
    users: 'FIN, OPS, ITS',
    subjects: 'Batch Jobs, General Ledger, Claims Files, Payroll Files, System Libraries',
  }),
  // The last source is described in payroll.ts.
  system(['Payroll', 'HR Payroll - Direct'], ['permissions', 'permission'], {
    users: 'FIN, HRS',
    subjects: 'Payroll Run',
  }),
];

export const MAINFRAME = 14;
export const PAYROLL = 15;

/** The source whose access is governed as cloud infrastructure. */
export const CLOUD = 10;

export interface Level {
  readonly name: string;
  readonly verb: string;
  readonly privileged: boolean;
}

export const LEVELS: readonly Level[] = [
  { name: 'Read', verb: 'See', privileged: false },
  { name: 'Edit', verb: 'See and change', privileged: false },
  { name: 'Approve', verb: 'Approve changes to', privileged: false },
  { name: 'Export', verb: 'Export', privileged: false },
  { name: 'Admin', verb: 'Fully control', privileged: true },
];

/** Purposes of access profiles. */
export const PURPOSES: readonly string[] =
  'Basics, Daily Work, Reporting, Approvals, On Call, Administration, Month End, Audit Support, Project Work, Training'.split(
    ', ',
  );

/** Names of business roles within a department. */
export const FUNCTIONS: readonly string[] =
  'Member, Specialist, Analyst, Coordinator, Team Lead, Administrator, Approver, Auditor, On Call Engineer, Deputy'.split(
    ', ',
  );

export const SEGMENTS: readonly string[] = ['Americas', 'EMEA', 'APAC', 'Regulated Sites'];
export const TAGS: readonly string[] = ['SOX', 'GDPR', 'Crown Jewels', 'Migration 2', 'Seasonal'];
export const GROUPS: readonly string[] = [
  'Access Review Board',
  'Segregation of Duties Panel',
  'Privileged Access Stewards',
  'Data Owners',
];

/** Functions of service accounts. */
export const SERVICES: readonly string[] =
  'backup, scanner, kiosk, build, monitoring, printing, archive, sync, labels, telemetry'.split(
    ', ',
  );

/** Reserved for examples by RFC 2606. */
export const DOMAIN = 'brightwater.example';
export const DIRECTORY_ROOT = 'DC=brightwater,DC=example';

/** The levels of auth users: department number, number within it, levels. */
export const LEVEL_HOLDERS: readonly (readonly [number, number, readonly string[]])[] = [
  [TECHNOLOGY, 0, ['ORG_ADMIN']],
  [15, 0, ['ORG_ADMIN', 'CERT_ADMIN']],
  [TECHNOLOGY, 1, ['HELPDESK']],
  [TECHNOLOGY, 2, ['HELPDESK']],
  [2, 1, ['HELPDESK']],
  [6, 0, ['REPORT_ADMIN']],
  [12, 0, ['REPORT_ADMIN']],
  [10, 0, ['ROLE_ADMIN']],
  [10, 1, ['ROLE_SUBADMIN']],
  [TECHNOLOGY, 3, ['SOURCE_ADMIN']],
  [TECHNOLOGY, 4, ['SOURCE_SUBADMIN']],
  [17, 0, ['CERT_ADMIN', 'REPORT_ADMIN']],
  [15, 1, ['CLOUD_GOV_ADMIN']],
  [15, 2, ['CLOUD_GOV_USER', 'SAAS_MANAGEMENT_READER']],
  [TECHNOLOGY, 5, ['SAAS_MANAGEMENT_ADMIN']],
  [17, 1, ['das:ui-compliance_manager', 'das:ui-auditor']],
];
