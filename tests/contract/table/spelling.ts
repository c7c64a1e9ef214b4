/** Words for what differs from run to run, so that two runs give the same text. */
export class Spelling {
  /** @param names what the people of a test have, by its value: `{patient}` for the id of the patient */
  constructor(
    private readonly now: () => number,
    private readonly names: ReadonlyMap<string, string>,
  ) {}

  /** A text of an answer or a record. */
  text(text: string): string {
    let spelt = text;
    for (const [value, name] of this.names) {
      spelt = spelt.replaceAll(value, name);
    }
    for (const [pattern, word] of PATTERNS) {
      spelt = spelt.replace(pattern, word);
    }
    return spelt.replace(TIME, (time) => this.time(new Date(time)));
  }

  /** A moment, as its distance from the present. The people are made within some minutes. */
  time(moment: Date): string {
    const minutes = Math.round((moment.getTime() - this.now()) / 60_000);
    return Math.abs(minutes) < 5
      ? '{now}'
      : `{now ${minutes > 0 ? '+' : '-'} ${5 * Math.round(Math.abs(minutes) / 5)} min}`;
  }

  #number(value: number, key: string): unknown {
    if (RANDOM_FIELDS.has(key)) {
      return `{${key}}`;
    }
    if (SECONDS_OF_1970.has(key)) {
      return this.time(new Date(value * 1000));
    }
    return key.endsWith('Millis') ? this.time(new Date(value)) : value;
  }

  /** A value of an answer, in JSON, or of a record, in BSON. The order of the fields is kept. */
  value(value: unknown, key = ''): unknown {
    if (typeof value === 'string') {
      return RANDOM_FIELDS.has(key) && /^\S+$/.test(value) ? `{${key}}` : this.text(value);
    }
    if (typeof value === 'number') {
      return this.#number(value, key);
    }
    if (value instanceof Date) {
      return this.time(value);
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => this.value(item, key));
      return key === 'mails' ? items.sort(byText) : items;
    }
    const bsonType = (value as { _bsontype?: string } | null)?._bsontype;
    if (value instanceof Uint8Array || bsonType !== undefined) {
      return `{${bsonType ?? 'bytes'}}`;
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.value(item, name)]))
      : value;
  }
}

/** The order of mails that wait is not defined. */
const byText = (one: unknown, other: unknown) => JSON.stringify(one).localeCompare(JSON.stringify(other));

/** Fields whose values are random, but follow no pattern. A text about one has blanks. */
const RANDOM_FIELDS = new Set([
  ...[
    'challenge',
    'credentialId',
    'credential_id',
    'lastStep',
    'next',
    'publicKey',
    'recoveryCodes',
    'recovery_codes',
  ],
  ...['secretKey', 'secret_key', 'userHandle', 'user_handle', 'version'],
]);
/** Fields with seconds since 1970; those with milliseconds say so. */
const SECONDS_OF_1970 = new Set(['auth_time', 'exp', 'iat']);
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{24}\|\w{40,}/g, '{token}'],
  [/\b10\.\d+\.\d+\.[01]\b/g, '{ip}'],
  [/\bv1\.[\w-]+\.[\w-]+/g, '{encrypted}'],
  [/W\/"[\da-f-]+"/g, '{etag}'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, '{time}'],
  [/\b[\da-f]{32}\b/g, '{random}'],
  [/<svg.*<\/svg>/gs, '{svg}'],
  [/otpauth:\/\/[^"\s]+/g, '{otpauth}'],
  [/\$2[aby]\$\d\d\$[./\w]{53}/g, '{hash}'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '{uuid}'],
  [/\b[0-9a-f]{24}\b/g, '{id}'],
  [/\b[0-9A-Za-z]{40}\.(?=[a-z]{3,4})/g, '{name}.'],
  [/[\dA-Za-z+/]{43}=/g, '{random}'],
  [/\bexpires=\d+&signature=[\w-]+/g, 'expires={time}&signature={signature}'],
  [/[\w-]{40,}={0,2}/g, '{random}'],
];
