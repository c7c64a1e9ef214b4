import type { StoredEvent } from '../../stores/events.ts';

/** An event as services get it, by the feed and by webhooks (schema/events.yaml). */
export const presentEvent = ({ event, type, at, cause, account, token }: StoredEvent) => ({
  ...{ id: presentId(event), type, at: at.toISOString(), cause },
  ...{ account, token },
});

/**
 * The id of an event has that of an account in it, which another program may have made of any characters. Those that the header
 * `webhook-id` cannot carry unchanged are percent-encoded (RFC 3986 section 2.1), and so is the percent sign: no two ids become one.
 */
const presentId = (event: string): string =>
  event.replace(/[^ -$&-~]|^ | $/gu, (character) => encodeURIComponent(character));
