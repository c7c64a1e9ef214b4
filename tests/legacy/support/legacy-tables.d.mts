import type { Query } from './mariadb.mjs';

/** The class that the tokens of accounts name. */
export const TOKENABLE_TYPE: string;

/** Makes the tables of a legacy service, empty: accounts, doctor_profiles and personal_access_tokens. */
export function createLegacyTables(query: Query): Promise<void>;

/** What to add to the tables. */
export interface ManyRows {
  /** How many accounts. */
  accounts: number;
  /** How many tokens. They belong to the accounts in turn. */
  tokens?: number;
  /** One account of so many is a doctor with a profile, whose files do not exist. 0: no doctors. */
  doctorEvery?: number;
  /** The first id of the accounts, and of the tokens. */
  firstId?: number;
  /** The hash of all accounts. Without it, each account has a different hash, for which nobody knows a password. */
  password?: string;
}

/** Adds many rows, about 100,000 in a second. */
export function addLegacyRows(query: Query, rows: ManyRows): Promise<void>;

/** The plain text of a token that addLegacyRows has made. */
export function legacyTokenOf(id: number): string;
