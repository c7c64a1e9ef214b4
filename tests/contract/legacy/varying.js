/*
 * What differs from run to run, and how a transcript spells it:
 *
 *   {{email:pat}}, {{EMAIL:pat}}   Pat's address, a new one in each run; the second in upper case
 *   {{password:pat}}               Pat's password, likewise
 *   {{phone:pat}}, {{license:ada}} Pat's phone, and Ada's license number, likewise
 *   {{text 256}}                   so many times the letter x; in requests only
 *   {{id:pat}}, {{token:first}}    in an answer: an id or access token not seen before, which gets this name;
 *                                  from then on, in answers and requests: that very one
 *   {{url licenses}}               the address of a document in that group; the legacy service has its groups below
 *                                  storage/doctor_profiles
 *   {{seconds}}, {{epoch}}         1 to 60 seconds of waiting; a point of time at most two minutes away
 *   {{time}}                       a point of time as Laravel writes it: 2026-01-31T12:00:00.000000Z
 *
 * An answer is put into these words before it is compared, recorded or shown. So each is checked by its shape, and no
 * password, hash, token or address of a document is ever written down.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PLACEHOLDER = /\{\{(email|EMAIL|password|phone|license|token|text)[: ](\w+)\}\}/g;
/** `<id>|<prefix><40 base-62 characters><CRC-32 of these>`, as Laravel Sanctum makes them. Older ones have no CRC-32. */
const TOKEN = /[\w-]{1,64}\|([\w-]{40,112})/g;
const OTHER_TOKEN = /("\w*token":\s*")(?!\{\{)[^"]+"/gi;
const ID = /("id":\s*)("?)([\w-]{1,64})\2(?=[,}\s])/g;
const URL_OF_DOCUMENT =
  /https?:[^"\s]+?storage\\?\/(?:doctor_profiles\\?\/)?(licenses|diplomas|certifications)\\?\/[^"\s]*/g;
const PLAIN_URL = /^https?:\/\/[^"\s\\]+\/storage\/(?:doctor_profiles\/)?\w+\/[0-9A-Za-z]{40}\.[a-z]{3,4}$/;
const ESCAPED_URL =
  /^https?:\\\/\\\/[^"\s]+\\\/storage\\\/(?:doctor_profiles\\\/)?\w+\\\/[0-9A-Za-z]{40}\.[a-z]{3,4}$/;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g;
const PASSWORD_HASH = /\$(?:2[abxy]|argon2id?|argon2i)\$[^"\s]+/g;

const FARTHEST_SECONDS = 120;
const LONGEST_WAIT_SECONDS = 60;

/** A request that needs something which no earlier answer has brought. */
export class MissingValueError extends Error {}

/** The varying parts of one run. */
export class Varying {
  #run = randomBytes(8).toString('hex');
  /** What each placeholder stands for. */
  #values = new Map();
  /** The placeholders of ids and tokens that have been answered. */
  #names = new Map();
  #ids;

  /** @param {'text' | 'number'} ids the JSON type that ids must have */
  constructor(ids) {
    this.#ids = ids;
  }

  /**
   * Puts values in the place of placeholders.
   * @param {string} text of a request
   * @throws {MissingValueError}
   */
  expand(text) {
    return text.replace(PLACEHOLDER, (placeholder, kind, name) => {
      if (kind === 'text') {
        return 'x'.repeat(Number(name));
      }
      if (kind !== 'token') {
        this.#values.set(placeholder, this.#invent(kind, name));
      }
      const value = this.#values.get(placeholder);
      if (value === undefined) {
        throw new MissingValueError(`no earlier answer has brought ${placeholder}`);
      }
      return value;
    });
  }

  /**
   * Puts placeholders in the place of values.
   * @param {string} text of an answer
   * @param {string} expected what the transcript has in its place, which says how new ids and tokens are to be called
   */
  normalise(text, expected) {
    let known = text;
    for (const [placeholder, value] of this.#values) {
      if (/^\{\{(email|password|phone|license)/i.test(placeholder)) {
        known = known.replaceAll(value, placeholder);
      }
    }
    return known
      .replace(TOKEN, (token, secret) => this.#nameToken(token, secret, expected))
      .replace(OTHER_TOKEN, '$1{{malformed token}}"')
      .replace(PASSWORD_HASH, '{{hash of a password}}')
      .replace(ID, (_, key, quote, id) => key + this.#nameId(quote, id, expected))
      .replace(URL_OF_DOCUMENT, nameUrl)
      .replace(TIME, '{{time}}');
  }

  #invent(kind, name) {
    if (kind === 'password') {
      return `Pw-${name}-${this.#run}`;
    }
    if (kind === 'phone') {
      const digits = createHash('sha256').update(`${name} ${this.#run}`).digest().readUInt32BE();
      return `+49 30 ${String(digits).padStart(10, '0')}`;
    }
    if (kind === 'license') {
      return `L-${name}-${this.#run}`;
    }
    const email = `${name}.${this.#run}@example.org`;
    return kind === 'EMAIL' ? email.toUpperCase() : email;
  }

  #nameToken(token, secret, expected) {
    const [entropy, checksum] = [secret.slice(-48, -8), secret.slice(-8)];
    const isSound = crc32(entropy).toString(16).padStart(8, '0') === checksum;
    const name = this.#nameOf('token', token, expected);
    return isSound ? name : name.replace('}}', ', without a valid CRC-32}}');
  }

  /** The placeholder of an id, in quotes as the transcripts have it, if the id has the expected type. */
  #nameId(quote, id, expected) {
    const name = this.#nameOf('id', id, expected);
    const type = quote === '"' ? 'text' : 'number';
    return type === this.#ids ? `"${name}"` : `(a ${type}) ${quote}${name}${quote}`;
  }

  /** The name that a value has, or is now given; one that is another value's already is not given twice. */
  #nameOf(kind, value, expected) {
    const key = `${kind} ${value}`;
    const [placeholder] = new RegExp(`\\{\\{${kind}:\\w+\\}\\}`).exec(expected) ?? [];
    if (placeholder && !this.#names.has(key) && !this.#values.has(placeholder)) {
      this.#values.set(placeholder, value);
      this.#names.set(key, placeholder);
    }
    return this.#names.get(key) ?? `{{another ${kind}}}`;
  }
}

function nameUrl(url, group) {
  if (PLAIN_URL.test(url)) {
    return `{{url ${group}}}`;
  }
  return ESCAPED_URL.test(url) ? `{{url ${group}, slashes escaped}}` : `{{another url ${group}}}`;
}

/**
 * Puts placeholders in the place of a header's value, where that is a time.
 * @param {string} name
 * @param {string} value
 */
export function normaliseHeader(name, value) {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (name === 'Retry-After' && number >= 1 && number <= LONGEST_WAIT_SECONDS) {
    return '{{seconds}}';
  }
  const isNear = Math.abs(number - Date.now() / 1000) <= FARTHEST_SECONDS;
  return name === 'X-RateLimit-Reset' && isNear ? '{{epoch}}' : value;
}
