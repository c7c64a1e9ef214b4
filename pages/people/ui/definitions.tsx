import type { ReactNode } from 'react';

/** Names with their values. One without a value is left out. */
export function Definitions({ entries }: { entries: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="profile">
      {entries
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
