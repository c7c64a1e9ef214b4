import type { AccessToken } from '@auth-gateway/client';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Time } from '../../ui/time.tsx';
import { timeText } from '../../ui/times.ts';

interface Properties {
  token: AccessToken;
  revoke(token: AccessToken): Promise<void>;
}

/** One access token: the device that has it, since when, and a button that revokes it. */
export function TokenItem({ token, revoke }: Properties) {
  const { current, createdAt, ip, lastUsedAt, expiresAt } = token;
  const device = token.device ?? 'Unknown device';
  const label = `Revoke ${device}, since ${timeText(createdAt)}${current ? ', this session' : ''}`;
  return (
    <li>
      <div>
        <h3>
          {device} {current && <span className="badge">This session</span>}
        </h3>
        <p className="times">
          Since <Time iso={createdAt} />
          {ip && ` from ${ip}`}
          {lastUsedAt && (
            <>
              , last used <Time iso={lastUsedAt} />
            </>
          )}
          {expiresAt && (
            <>
              , until <Time iso={expiresAt} />
            </>
          )}
        </p>
      </div>
      <BusyButton className="quiet" aria-label={label} onClick={() => revoke(token)}>
        Revoke
      </BusyButton>
    </li>
  );
}
