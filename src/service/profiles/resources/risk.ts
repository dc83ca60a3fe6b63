// Risk levels of profiles, which are ordered, and scores with a level. Both are imported, and only
// read here.
import { LIMIT_MAX } from '../../ports/collection.ts';
import { RISK_OBJECT_TYPES } from '../../ports/resources.ts';
import type { Descriptor, FieldRule } from './descriptor.ts';
import { filtersOf } from './field-filters.ts';

const LEVEL_FIELDS: Readonly<Record<string, FieldRule>> = {
  label: { type: 'text', required: true },
  order: { type: 'integer', required: true },
  points: { type: 'number' },
};

export const riskLevel: Descriptor = {
  kind: 'riskLevel',
  singular: 'risk_level',
  title: 'Risk Level',
  collection: {
    key: 'risk_levels',
    limitMax: LIMIT_MAX,
    filters: filtersOf(LEVEL_FIELDS),
    orders: ['id', 'uid', 'label', 'order', 'points'],
  },
  fields: LEVEL_FIELDS,
  nameOf: ({ label }) => String(label),
};

const LEVEL = { type: 'reference', to: 'riskLevel' } as const;

const SCORE_FIELDS: Readonly<Record<string, FieldRule>> = {
  objectId: { type: 'text', required: true },
  objectType: { type: 'word', words: RISK_OBJECT_TYPES, required: true },
  overallScore: { type: 'number' },
  overallRiskLevelId: LEVEL,
  impactScore: { type: 'number' },
  impactRiskLevelId: LEVEL,
  probabilityScore: { type: 'number' },
  probabilityRiskLevelId: LEVEL,
};

export const riskScore: Descriptor = {
  kind: 'riskScore',
  singular: 'risk_score',
  title: 'Risk Score',
  collection: {
    key: 'risk_scores',
    limitMax: LIMIT_MAX,
    filters: filtersOf(SCORE_FIELDS, { objectId: { type: 'reference', to: 'profile' } }),
    orders: ['id', 'uid', 'objectId', 'overallScore'],
  },
  fields: SCORE_FIELDS,
  nameOf: ({ objectId }) => String(objectId),
};
