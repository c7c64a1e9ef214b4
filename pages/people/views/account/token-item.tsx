import type { AccessToken } from '@auth-gateway/client';
import { timeText, useTexts } from '../../language/language.ts';
import { BusyButton } from '../../ui/busy-button.tsx';

interface Properties {
  token: AccessToken;
  revoke(token: AccessToken): Promise<void>;
}

/** One access token: the device that has it, since when, and a button that revokes it. */
export function TokenItem({ token, revoke }: Properties) {
  const { current, createdAt, ip, lastUsedAt, expiresAt } = token;
  const { tokens } = useTexts();
  const device = token.device ?? tokens.unknownDevice;
  const label = tokens.revokeOne(device, timeText(createdAt), current);
  return (
    <li>
      <div>
        <h3>
          {device} {current && <span className="badge">{tokens.thisSession}</span>}
        </h3>
        <p className="times">
          {tokens.since(timeText(createdAt))}
          {ip && tokens.from(ip)}
          {lastUsedAt && tokens.lastUsed(timeText(lastUsedAt))}
          {expiresAt && tokens.until(timeText(expiresAt))}
        </p>
      </div>
      <BusyButton className="quiet" aria-label={label} onClick={() => revoke(token)}>
        {tokens.revoke}
      </BusyButton>
    </li>
  );
}
