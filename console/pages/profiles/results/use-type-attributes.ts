// The types and attributes of profiles, and which attributes a type has.

import type { ApiFault } from '../../../api/fault.ts';
import { profileAttributes, profileTypes, usedAttributes } from '../../../api/profiles-api.ts';
import {
  type AttributeGroup,
  attributesOfType,
  groupAttributes,
  type ProfileAttribute,
  type ProfileType,
} from '../../../model/profiles/attributes.ts';
import { useLoad } from '../../../ui/use-load.ts';

/** What describes profiles. */
export interface ProfileModel {
  readonly types: readonly ProfileType[];
  /** All attributes of the tenant. */
  readonly attributes: readonly ProfileAttribute[];
}

/** A model, or why it could not be loaded; neither while it loads. */
export interface LoadedModel {
  readonly model: ProfileModel | undefined;
  readonly fault: ApiFault | null;
  reload(): void;
}

/** Loads the types and the attributes. */
export function useProfileModel(): LoadedModel {
  const { value, fault, reload } = useLoad('model', async (signal) => {
    const [types, attributes] = await Promise.all([
      profileTypes(signal),
      profileAttributes(signal),
    ]);
    return { types, attributes };
  });
  return { model: value, fault, reload };
}

/**
 * The attributes of a type in their order, grouped; all attributes without a type. Undefined while
 * they load.
 * @param typeId id or uid
 * @param also uids of further attributes
 */
export function useTypeAttributes(
  model: ProfileModel | undefined,
  typeId: string | null,
  also: readonly string[] = [],
): readonly AttributeGroup[] | undefined {
  const type = model?.types.find(({ id, uid }) => id === typeId || uid === typeId);
  const used = useLoad(type === undefined ? null : `used ${type.id}`, (signal) =>
    usedAttributes(type?.id ?? '', signal),
  );
  if (model === undefined) return undefined;
  if (type === undefined) return groupAttributes(undefined, model.attributes);
  // Without the sample, the form would lack fields: all attributes are better than few.
  if (used.fault !== null) return groupAttributes(type, model.attributes);
  if (used.value === undefined || used.key !== `used ${type.id}`) return undefined;
  return groupAttributes(
    type,
    attributesOfType(type, model.attributes, new Set([...used.value, ...also])),
  );
}
