import type { AuditEvent } from '../../models/audit-event.model.ts';
import { UsageError } from '../usage-error.ts';
import { type Command, type Line, shown } from './command.ts';

export const searchAudit: Command = {
  usage: '[--email E] [--account ID] [--since S] [--limit N]',
  summary:
    'lists events of the audit trail, the newest last; S is a time such as 2026-01-31T12:00Z, or 30m, 24h, 7d ago',
  options: ['email', 'account', 'since', 'limit'],
  prepare: ({ email, account, since, limit }) => {
    const search = {
      email,
      accountId: account,
      since: since === undefined ? undefined : momentOf(since),
      limit: limit === undefined ? undefined : countOf(limit),
    };
    return async function* (context): AsyncGenerator<Line> {
      let found = 0;
      for await (const event of context.searchAudit(search)) {
        found += 1;
        yield presentEvent(event);
      }
      if (found === 0) {
        yield { text: 'There are no such events.' };
      }
    };
  },
};

const UNIT_MILLIS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** RFC 3339, with a date alone and a time without seconds allowed. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function momentOf(since: string): Date {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(since) ?? [];
  const moment = new Date(TIME.test(since) ? since : Date.now() - Number(amount) * (UNIT_MILLIS[unit] ?? 0));
  if (Number.isNaN(moment.getTime()) || isNoDay(since)) {
    throw new UsageError('--since must be a time such as 2026-01-31T12:00Z, or 30m, 24h or 7d.');
  }
  return moment;
}

/** True for a day that does not exist. JavaScript reads the 30th of February as the 2nd of March. */
function isNoDay(since: string): boolean {
  const [day] = since.split('T');
  return TIME.test(since) && new Date(`${day}`).toISOString().slice(0, 10) !== day;
}

const MAX_EVENTS = 100_000;

function countOf(limit: string): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MAX_EVENTS) {
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_EVENTS}.`);
  }
  return count;
}

function presentEvent(event: AuditEvent): Line {
  const { at, act, outcome, reason, accountId, emailDigest, ip, userAgent, door, requestId } = event;
  // Events from earlier versions lack these fields.
  const { byAccountId = null, tokenId = null, revoked = null, operator = null, service = null } = event;
  const { count = null, lastAt = null } = event;
  const text = [
    at.toISOString(),
    act,
    reason === null ? outcome : `${outcome} (${reason})`,
    ...(count === null ? [] : [`${count} times until ${shown(lastAt, 'now')}`]),
    `account ${accountId ?? '-'}`,
    ...(byAccountId === null ? [] : [`by account ${byAccountId}`]),
    ...(service === null ? [] : [`service ${service}`]),
    ...(tokenId === null ? [] : [`token ${tokenId}`]),
    ...(revoked === null ? [] : [`tokens revoked: ${revoked}`]),
    `by ${door}${operator === null ? '' : ` (${operator})`}${ip && ` from ${ip}`}`,
    `request ${requestId}`,
    ...(userAgent === null ? [] : [userAgent]),
  ].join('  ');
  const json = { at, act, outcome, reason, accountId, byAccountId, tokenId, revoked, emailDigest };
  return { text, json: { ...json, ip, userAgent, door, operator, service, requestId, count, lastAt } };
}
