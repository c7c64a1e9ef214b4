import { EVENT_TYPES, type EventType } from '../../stores/event-types.ts';

/** The types of events that each service may read, by its id. */
export type EventClients = ReadonlyMap<string, readonly EventType[]>;

/**
 * The types that patterns stand for.
 * @param patterns such as `account.*,sessions.revoked`; `*` stands for all
 * @returns undefined if one of them stands for none
 */
export function typesOf(patterns: string): EventType[] | undefined {
  const all = Object.keys(EVENT_TYPES) as EventType[];
  const found = patterns.split(',').map((text) => {
    const pattern = text.trim();
    const isWhole = pattern === '*' || pattern.endsWith('.*');
    return all.filter((type) => (isWhole ? type.startsWith(pattern.slice(0, -1)) : type === pattern));
  });
  return found.every((types) => types.length > 0) ? [...new Set(found.flat())] : undefined;
}
