// Profiles with their types, attributes and users as plain values, for the naive evaluator.

/** A profile with its values: texts, referenced ids, or one date as `yyyy-mm-dd`. */
export interface PlainProfile extends Keys {
  readonly name: string;
  readonly status: string;
  readonly profile_type_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived: boolean;
  /** By attribute id. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly riskLevelId: string | null;
}

export interface PlainAttribute extends Keys {
  readonly type: string;
  readonly dateFormat: string | null;
}

export interface Keys {
  readonly id: string;
  readonly uid: string;
}

/** The objects that rules can name, and the current day, `yyyy-mm-dd`. */
export interface PlainWorld {
  readonly attributes: readonly PlainAttribute[];
  readonly options: readonly (Keys & { attributeId: string; label: string })[];
  readonly types: readonly Keys[];
  readonly users: readonly Keys[];
  readonly levels: readonly { id: string; order: number }[];
  readonly profiles: readonly PlainProfile[];
  readonly today: string;
}

/** A rule on the wire. */
export type PlainRule = Readonly<Record<string, string>>;
