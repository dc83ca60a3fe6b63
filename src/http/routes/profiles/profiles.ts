// Profiles and jobs over HTTP (contract/profiles.md sections 4 and 7).
import type { FastifyRequest } from 'fastify';
import {
  PROFILES,
  type ProfileCases,
  type ProfilePageRequest,
} from '../../../service/profiles/profile-cases.ts';
import { parameterRefused } from '../../../service/profiles/resources/faults.ts';
import { readInstant } from '../../../service/profiles/resources/sent-time.ts';
import { wireName } from '../../../service/profiles/resources/wire-names.ts';
import type { DisconnectSignals } from '../../requests/disconnect-signals.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../../requests/endpoint.ts';
import {
  type Envelope,
  envelopedPage,
  otherParameters,
  parametersOf,
  readFlag,
  readPageRequest,
  warnOfBody,
  warnOfUnknownParameters,
} from './collection.ts';
import { jobReceipt } from './job-receipt.ts';
import { type Handle, readRow, writeRow } from './profile-rows.ts';

/** Parameters that cannot be combined with after_id: `order`, and all filters but the type. */
const OFFSET_ONLY = [
  'order',
  ...Object.keys(PROFILES.filters)
    .filter((member) => member !== 'profileTypeId')
    .map(wireName),
];

type Profiles = Pick<ProfileCases, keyof ProfileCases>;

/**
 * `/profile`, `/profiles`, `/profiles/{id}` and `/job_status`.
 * @param signals abort lists for clients that disconnect
 */
export function profileEndpoints(
  profiles: Profiles,
  envelope: Envelope,
  signals: DisconnectSignals,
): Endpoint[] {
  return [
    ...reading(profiles, envelope, signals),
    ...writingOne(profiles),
    ...writingMany(profiles),
  ];
}

function reading(profiles: Profiles, envelope: Envelope, signals: DisconnectSignals): Endpoint[] {
  return [
    readRow('/profiles', async (request, reply) => {
      const pageRequest = readProfilePageRequest(request);
      const page = await signals.run(reply.raw, (signal) =>
        profiles.list(callerOf(request), pageRequest, { signal, memory: reply }),
      );
      warnOfUnknownParameters(request, reply, PROFILES, page.unknown);
      return envelopedPage(request, PROFILES, pageRequest, page, envelope);
    }),
    readRow('/profiles/:id', async (request) => {
      const references = queryParameter(request, 'references');
      const withReferences = readFlag('references', references) ?? false;
      const id = pathParameter(request, 'id');
      return { profile: await profiles.get(callerOf(request), id, { withReferences }) };
    }),
    readRow('/job_status', async (request) => {
      const job = await profiles.job(callerOf(request), queryParameter(request, 'job_id'));
      const { id, status, jobType, jobData } = job;
      return { uid: id, status, job_type: jobType, job_data: jobData };
    }),
  ];
}

/** A change of profiles; hints about the body come with the answer. */
function change(
  profiles: Profiles,
  wrapper: string,
  run: (request: FastifyRequest) => Promise<object>,
): Handle {
  return async (request, reply) => {
    const hints = await profiles.misplacedIn(callerOf(request), request.body, wrapper);
    const written = await run(request);
    warnOfBody(reply, hints);
    return { [wrapper]: written };
  };
}

function writingOne(profiles: Profiles): Endpoint[] {
  const create = change(profiles, 'profile', (request) =>
    profiles.create(callerOf(request), request.body),
  );
  const update = change(profiles, 'profile', (request) =>
    profiles.update(callerOf(request), pathParameter(request, 'id'), request.body),
  );
  return [
    writeRow('POST', '/profile', create),
    writeRow('PATCH', '/profiles/:id', update),
    writeRow('DELETE', '/profiles/:id', async (request, reply) => {
      await profiles.remove(callerOf(request), pathParameter(request, 'id'));
      return reply.code(204).send();
    }),
  ];
}

function writingMany(profiles: Profiles): Endpoint[] {
  const create = change(profiles, 'profiles', (request) =>
    profiles.createMany(callerOf(request), request.body),
  );
  const update = change(profiles, 'profiles', (request) =>
    profiles.updateMany(callerOf(request), request.body),
  );
  const remove: Handle = async (request) => {
    const deletion = await profiles.removeMany(callerOf(request), request.body);
    return 'profiles' in deletion ? deletion : jobReceipt(deletion.jobId);
  };
  return [
    writeRow('POST', '/profiles', create),
    writeRow('PATCH', '/profiles', update),
    writeRow('DELETE', '/profiles', remove, 'json'),
  ];
}

function readProfilePageRequest(request: FastifyRequest): ProfilePageRequest {
  const parameters = parametersOf(request);
  const pageRequest = readPageRequest(request, PROFILES);
  const afterId = parameters.get('after_id');
  const updatedAfter = parameters.get('updated_after') ?? '';
  if (afterId !== undefined) {
    const conflict = OFFSET_ONLY.find((name) => (parameters.get(name) ?? '') !== '');
    if (conflict !== undefined)
      throw parameterRefused(`after_id cannot be combined with ${conflict}`);
    if (pageRequest.offset > 0)
      throw parameterRefused('after_id cannot be combined with an offset');
  }
  const excluded = readFlag('exclude_attributes', parameters.get('exclude_attributes'));
  return {
    ...pageRequest,
    others: otherParameters(request, PROFILES),
    afterId: afterId ?? null,
    updatedAfter: updatedAfter === '' ? null : readInstant('updated_after', updatedAfter),
    excludeAttributes: excluded ?? false,
  };
}
