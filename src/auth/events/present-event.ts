import type { StoredEventRow } from '../../stores/events.ts';

/** An event as services get it, by the feed and by webhooks (schema/events.yaml). */
export const presentEvent = ({ event, type, at, cause, account, token }: StoredEventRow) => ({
  ...{ id: event, type, at: at.toISOString(), cause },
  ...{ account, token },
});
