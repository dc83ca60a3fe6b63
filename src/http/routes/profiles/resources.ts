// Records of profile management over HTTP: a table of the paths and response formats of each kind,
// and below it the endpoints that all kinds share.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceKind } from '../../../service/ports/resources.ts';
import { descriptors } from '../../../service/profiles/resources/descriptors.ts';
import { formOf, misplacedMembers } from '../../../service/profiles/resources/misplaced-members.ts';
import type { ResourceCases } from '../../../service/profiles/resources/resource-cases.ts';
import { callerOf, type Endpoint, pathParameter } from '../../requests/endpoint.ts';
import {
  type Envelope,
  envelopedPage,
  otherParameters,
  readPageRequest,
  warnOfBody,
  warnOfUnknownParameters,
} from './collection.ts';
import { jobReceipt } from './job-receipt.ts';
import { type Handle, readRow, writeRow } from './profile-rows.ts';

type Resources = Pick<ResourceCases, keyof ResourceCases>;
type WireRecord = Readonly<Record<string, unknown>>;

interface Paths {
  /** Path that creates one record. */
  readonly single?: string;
  /** Status of that response; 200 when left out. */
  readonly createdStatus?: number;
  /** True if the collection creates and updates many records at once. */
  readonly many?: true;
  /** True if the collection deletes many records at once. */
  readonly removesMany?: true;
  /** True if a record can be changed. */
  readonly changes?: true;
  /** Paths that delete a record, without its id. */
  readonly removal?: readonly string[];
  /** The response to a deletion. */
  readonly removed?: (record: WireRecord) => object;
}

const LINK = { many: true, changes: true, removed: () => ({}) } as const;

/** contract/profiles.md section 6. */
export const RESOURCE_PATHS: Readonly<Record<ResourceKind, Paths>> = {
  profileType: {
    single: '/profile_type',
    changes: true,
    removal: ['/profile_types'],
    removed: ({ name }) => ({ info: `The profile type ${name} has been deleted` }),
  },
  attribute: {
    single: '/ne_attributes',
    createdStatus: 201,
    changes: true,
    removal: ['/ne_attributes'],
    removed: (record) => ({ ne_attribute: record }),
  },
  option: {
    single: '/ne_attribute_option',
    many: true,
    changes: true,
    removal: ['/ne_attribute_options'],
    removed: ({ option }) => ({ info: `The option ${option} has been deleted` }),
  },
  user: {
    single: '/user',
    many: true,
    changes: true,
    removal: ['/users'],
    removed: ({ name }) => ({ info: `The user ${name} has been deleted` }),
  },
  role: { single: '/role', many: true, changes: true },
  // Public clients delete a link under the singular path.
  userRole: { ...LINK, single: '/user_role', removal: ['/user_role', '/user_roles'] },
  roleProfile: { ...LINK, single: '/role_profile', removal: ['/role_profile', '/role_profiles'] },
  userProfile: {
    ...LINK,
    single: '/user_profile',
    removal: ['/user_profile', '/user_profiles'],
    removesMany: true,
  },
  userManager: { ...LINK, single: '/user_manager', removal: ['/user_manager', '/user_managers'] },
  riskLevel: {},
  riskScore: {},
};

/** The endpoints of all kinds. */
export function resourceEndpoints(resources: Resources, envelope: Envelope): Endpoint[] {
  return (Object.keys(RESOURCE_PATHS) as ResourceKind[]).flatMap((kind) => [
    ...reading(resources, kind, envelope),
    ...writing(resources, kind),
    ...removing(resources, kind),
  ]);
}

function reading(resources: Resources, kind: ResourceKind, envelope: Envelope): Endpoint[] {
  const { collection, singular } = descriptors[kind];
  return [
    readRow(`/${collection.key}`, async (request, reply) => {
      const pageRequest = readPageRequest(request, collection);
      const page = await resources.list(callerOf(request), kind, pageRequest);
      warnOfUnknownParameters(
        request,
        reply,
        collection,
        otherParameters(request, collection).keys(),
      );
      return envelopedPage(request, collection, pageRequest, page, envelope);
    }),
    readRow(`/${collection.key}/:id`, async (request) => ({
      [singular]: await resources.get(callerOf(request), kind, pathParameter(request, 'id')),
    })),
  ];
}

function writing(resources: Resources, kind: ResourceKind): Endpoint[] {
  const { single, createdStatus = 200, many, changes } = RESOURCE_PATHS[kind];
  const { collection, singular, fields } = descriptors[kind];
  const { key } = collection;
  const warnOf = (request: FastifyRequest, reply: FastifyReply, wrapper: string) =>
    warnOfBody(reply, misplacedMembers(request.body, formOf(wrapper, Object.keys(fields))).hints);
  const endpoints: Endpoint[] = [];
  if (single !== undefined) {
    endpoints.push(
      writeRow('POST', single, async (request, reply) => {
        const record = await resources.create(callerOf(request), kind, request.body);
        reply.code(createdStatus);
        warnOf(request, reply, singular);
        return { [singular]: record };
      }),
    );
  }
  if (many === true) {
    endpoints.push(
      writeRow('POST', `/${key}`, async (request, reply) => {
        const records = await resources.createMany(callerOf(request), kind, request.body);
        warnOf(request, reply, key);
        return { [key]: records };
      }),
      writeRow('PATCH', `/${key}`, async (request, reply) => {
        const records = await resources.updateMany(callerOf(request), kind, request.body);
        warnOf(request, reply, key);
        return { [key]: records };
      }),
    );
  }
  if (changes === true) {
    endpoints.push(
      writeRow('PATCH', `/${key}/:id`, async (request, reply) => {
        const id = pathParameter(request, 'id');
        const record = await resources.update(callerOf(request), kind, id, request.body);
        warnOf(request, reply, singular);
        return { [singular]: record };
      }),
    );
  }
  return endpoints;
}

function removing(resources: Resources, kind: ResourceKind): Endpoint[] {
  const { removal = [], removed = () => ({}), removesMany } = RESOURCE_PATHS[kind];
  const endpoints = removal.map((path) =>
    writeRow('DELETE', `${path}/:id`, async (request) =>
      removed(await resources.remove(callerOf(request), kind, pathParameter(request, 'id'))),
    ),
  );
  if (removesMany !== true) return endpoints;
  const { key } = descriptors[kind].collection;
  const removeMany: Handle = async (request) => {
    const deletion = await resources.removeMany(callerOf(request), kind, request.body);
    return 'jobId' in deletion ? jobReceipt(deletion.jobId) : { [key]: deletion.records };
  };
  return [...endpoints, writeRow('DELETE', `/${key}`, removeMany, 'json')];
}
