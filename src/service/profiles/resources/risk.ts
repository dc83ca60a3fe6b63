// Risk levels of profiles, which are ordered, and scores with a level. Both are imported, and only
// read here.
import { LIMIT_MAX } from './collection.ts';
import type { Descriptor } from './descriptor.ts';
import { RISK_OBJECT_TYPES } from './resources.ts';

export const riskLevel: Descriptor = {
  kind: 'riskLevel',
  singular: 'risk_level',
  title: 'Risk Level',
  collection: {
    key: 'risk_levels',
    limitMax: LIMIT_MAX,
    filters: { label: { type: 'text' } },
    orders: ['id', 'uid', 'label', 'order', 'points'],
  },
  fields: {
    label: { type: 'text', required: true },
    order: { type: 'integer', required: true },
    points: { type: 'number' },
  },
  nameOf: ({ label }) => String(label),
};

const LEVEL = { type: 'reference', to: 'riskLevel' } as const;

export const riskScore: Descriptor = {
  kind: 'riskScore',
  singular: 'risk_score',
  title: 'Risk Score',
  collection: {
    key: 'risk_scores',
    limitMax: LIMIT_MAX,
    filters: {
      objectId: { type: 'reference', to: 'profile' },
      objectType: { type: 'word', words: RISK_OBJECT_TYPES },
      overallRiskLevelId: LEVEL,
      impactRiskLevelId: LEVEL,
      probabilityRiskLevelId: LEVEL,
    },
    orders: ['id', 'uid', 'objectId', 'overallScore'],
  },
  fields: {
    objectId: { type: 'text', required: true },
    objectType: { type: 'word', words: RISK_OBJECT_TYPES, required: true },
    overallScore: { type: 'number' },
    overallRiskLevelId: LEVEL,
    impactScore: { type: 'number' },
    impactRiskLevelId: LEVEL,
    probabilityScore: { type: 'number' },
    probabilityRiskLevelId: LEVEL,
  },
  nameOf: ({ objectId }) => String(objectId),
};
