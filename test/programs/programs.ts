// All conversations.
import { POWERSHELL, TERRAFORM } from './automation.ts';
import { CONNECTORS } from './connectors.ts';
import type { Program } from './conversation.ts';
import { ASSISTANTS, EDITORS } from './editors.ts';
import { GUIDES } from './guides.ts';
import { PROFILE_MANAGEMENT } from './profile-management.ts';
import { REPORTS } from './reports.ts';
import { SIEM, SOAR } from './siem.ts';

/** In the order of docs/decisions/programs.md. */
export const PROGRAMS: readonly Program[] = [
  ...SIEM,
  ...SOAR,
  ...REPORTS,
  ...EDITORS,
  ...ASSISTANTS,
  ...TERRAFORM,
  ...POWERSHELL,
  ...CONNECTORS,
  ...PROFILE_MANAGEMENT,
  ...GUIDES,
];
