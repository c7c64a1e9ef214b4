/** A stored argon2 hash. Only PHP makes them: they come from a legacy service. */
export interface Argon2Hash {
  kind: 'argon2';
  madeBy: 'php';
  /** Algorithm, version and parameters: the start of the hash, up to the salt. */
  settings: string;
  text: string;
}

/**
 * `argon2i` or `argon2id` in the form of PHP's password_hash: a salt of 16 bytes and a digest of 32 in Base64. The last
 * character of each has unused bits, which must be zero, or the library throws.
 */
const ARGON2_HASH =
  /^(\$argon2id?\$v=19\$m=([1-9]\d{0,5}),t=([1-9]\d{0,5}),p=([1-9]\d?)\$)[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]$/;
const DUMMY_SALT_AND_DIGEST = `${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** PHP's default is 64 MiB. libsodium's "moderate" is 256 MiB. Each core may use so much at once. */
const MAX_MEMORY_KIB = 262_144;
/** Memory times passes: four times the work of PHP's default, about half a second. */
const MAX_WORK_KIB = 1_048_576;
const MAX_LANES = 16;
/** RFC 9106 section 3.1. */
const MIN_LANE_KIB = 8;

/**
 * Reads a stored hash.
 * @returns undefined if it is no argon2 hash of PHP, or would take too much memory or time
 */
export function parseArgon2Hash(stored: string): Argon2Hash | undefined {
  const [text, settings, ...parameters] = ARGON2_HASH.exec(stored) ?? [];
  const [memoryKib = 0, passes = 0, lanes = 0] = parameters.map(Number);
  const isBounded =
    memoryKib <= MAX_MEMORY_KIB &&
    memoryKib * passes <= MAX_WORK_KIB &&
    lanes <= MAX_LANES &&
    memoryKib >= MIN_LANE_KIB * lanes;
  return text && settings && isBounded ? { kind: 'argon2', madeBy: 'php', settings, text } : undefined;
}

/** Compares a password of any length. The library is loaded by the first comparison: most gateways need it never. */
export async function compareArgon2(bytes: Buffer, { text }: Pick<Argon2Hash, 'text'>): Promise<boolean> {
  const { default: argon2 } = await import('@node-rs/argon2');
  return argon2.verify(text, bytes);
}

/** Does as much work as a comparison with a hash of these settings. */
export const spendArgon2 = (settings: string): Promise<unknown> =>
  compareArgon2(Buffer.alloc(0), { text: settings + DUMMY_SALT_AND_DIGEST });
