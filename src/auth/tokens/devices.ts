import Bowser from 'bowser';
import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { Actor } from '../caller.ts';

/** Where a token was issued, as its owner sees it. */
export type Origin = Pick<StoredAccessToken, 'ip' | 'device'>;

/** Bowser tries some 100 patterns. On this much of a hostile text they take 0.1 ms together, and real ones are shorter. */
const MAX_USER_AGENT_CHARACTERS = 256;

/** A program that names itself first, such as "curl/8.5.0" (RFC 9110 section 10.1.5). */
const PROGRAM = /^([A-Za-z][\w.+-]{0,31})(?=[/ (]|$)/;
/** All browsers and many programs begin like this, so it says nothing. */
const SAYS_NOTHING = 'Mozilla';

const BROWSERS: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP));

/** What an account remembers for a User-Agent that says nothing. No program has this name: it has a space. */
const UNKNOWN_DEVICE = 'unknown device';

/** The origin of a token that is issued to a caller now. */
export function originOf({ ip, userAgent }: Pick<Actor, 'ip' | 'userAgent'>): Origin {
  const device = deviceOf(userAgent);
  return { ...(ip !== '' && { ip }), ...(device !== undefined && { device }) };
}

/**
 * Says in a few words which program on which system sends a User-Agent. Callers choose that header, so only names that Bowser
 * knows, or one plain word, come through: no version, no model of a telephone, and nothing that a terminal obeys.
 * @returns undefined for a header that is missing or says nothing
 */
export function deviceOf(userAgent: string | undefined): string | undefined {
  const text = shortened(userAgent);
  const { browser, system } = knownNamesOf(text);
  const program = browser ?? programOf(text);
  return program && system ? `${program} on ${system}` : (program ?? system);
}

/** The name by which an account remembers the device of a login. A caller who sends no User-Agent has one, too. */
export const rememberedDevice = (userAgent: string | undefined): string =>
  deviceOf(userAgent) ?? UNKNOWN_DEVICE;

/**
 * The browser and the system of a User-Agent, for a mail. Both are names of a fixed list, so no caller chooses a text of the mail:
 * a program that names itself is not among them.
 * @returns each name only if it is known
 */
export function knownNamesOf(userAgent: string | undefined): { browser?: string; system?: string } {
  const text = shortened(userAgent);
  if (!text) {
    return {};
  }
  const parser = Bowser.getParser(text, true);
  const browser = known(BROWSERS, parser.getBrowserName());
  const system = known(SYSTEMS, parser.getOSName());
  // "Samsung Internet for Android" says both.
  const isSaid = browser !== undefined && system !== undefined && browser.endsWith(` ${system}`);
  return { ...(browser && { browser }), ...(system && !isSaid && { system }) };
}

const shortened = (userAgent: string | undefined): string =>
  userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS).trim() ?? '';

/** Bowser takes names that it does not know from the header. */
const known = (names: ReadonlySet<string>, name: string): string | undefined =>
  names.has(name) ? name : undefined;

function programOf(userAgent: string): string | undefined {
  const [, name] = PROGRAM.exec(userAgent) ?? [];
  return name === SAYS_NOTHING ? undefined : name;
}

/** Longer texts are stored by other programs only. */
export const MAX_ORIGIN_CHARACTERS = 64;

/** Where a token was issued. What another program has stored wrongly is unknown: it makes no token invalid. */
export function shownOrigin({ device, ip }: Origin): { device: string | null; ip: string | null } {
  return { device: shortText(device), ip: shortText(ip) };
}

/** Enough for one person: a telephone, computers at home and at work, some browsers and programs. */
export const MAX_KNOWN_DEVICES = 8;

/** The names of the devices that an account remembers. What another program has stored wrongly is left out. */
export const shownDevices = (stored: unknown): string[] =>
  Array.isArray(stored)
    ? stored.slice(-MAX_KNOWN_DEVICES).flatMap((name: unknown) => shortText(name) ?? [])
    : [];

const shortText = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MAX_ORIGIN_CHARACTERS && !/\p{Cc}/u.test(value) ? value : null;
