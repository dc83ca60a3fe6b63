// All kinds of records, by kind.

import type { ResourceKind } from '../../ports/resources.ts';
import { attribute, option } from './attribute.ts';
import type { Descriptor } from './descriptor.ts';
import { roleProfile, userManager, userProfile, userRole } from './links.ts';
import { profileType } from './profile-type.ts';
import { riskLevel, riskScore } from './risk.ts';
import { role, user } from './users-and-roles.ts';

export const descriptors: Readonly<Record<ResourceKind, Descriptor>> = {
  profileType,
  attribute,
  option,
  user,
  role,
  userRole,
  roleProfile,
  userProfile,
  userManager,
  riskLevel,
  riskScore,
};
