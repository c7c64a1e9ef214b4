import { AUDITED_ACTS, type AuditEvent, type AuditOutcome } from '../../stores/audit-events.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { type AdminCommand, readEmail, shown } from './command.ts';
import { readCount } from './paging.ts';

const OUTCOMES: readonly AuditOutcome[] = ['success', 'failure', 'unknown'];

export const searchAudit: AdminCommand = {
  usage:
    '[--email E] [--account ID] [--by ID] [--act ACT] [--outcome O] [--ip A] [--since S] [--until S] [--limit N] [--after ID]',
  summary:
    'lists events of the audit trail, the newest last. --email and --account find acts on an account, --by acts of an account on others, such as those of a reviewer; --act one kind of act, such as login; --outcome success, failure or unknown; --ip the acts from an address. S is a time such as 2026-01-31T12:00Z, or an age: 30m, 24h, 7d. --limit N prints the newest N; --after ID those before that event',
  options: ['email', 'account', 'id', 'by', 'act', 'outcome', 'ip', 'since', 'until', 'limit', 'after'],
  prepare: ({ email, id, account = id, by, act, outcome, ip, since, until, limit, after }) => {
    if (act !== undefined && !AUDITED_ACTS.some((one) => one === act)) {
      throw new UsageError(`--act must be one of: ${AUDITED_ACTS.join(', ')}.`);
    }
    if (outcome !== undefined && !OUTCOMES.some((one) => one === outcome)) {
      throw new UsageError(`--outcome must be one of: ${OUTCOMES.join(', ')}.`);
    }
    if (after !== undefined && limit === undefined) {
      throw new UsageError('--after continues a list that had a --limit: give both.');
    }
    const search = {
      email: email === undefined ? undefined : readEmail(email),
      accountId: account,
      byAccountId: by,
      act,
      outcome,
      ip,
      since: since === undefined ? undefined : momentOf('since', since),
      until: until === undefined ? undefined : momentOf('until', until),
      limit: limit === undefined ? undefined : readCount('limit', limit, MAX_EVENTS),
      afterId: after,
    };
    return async function* (context): AsyncGenerator<Line> {
      let found = 0;
      let oldest: string | undefined;
      for await (const event of context.searchAudit(search)) {
        found += 1;
        oldest ??= event._id;
        yield presentEvent(event);
      }
      if (found === 0) {
        yield { text: 'There are no such events.' };
      } else if (found === search.limit) {
        yield { text: `There may be older ones: --after ${oldest}`, json: { next: oldest } };
      }
    };
  },
};

const UNIT_MILLIS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** RFC 3339, with a date alone and a time without seconds allowed. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function momentOf(option: string, since: string): Date {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(since) ?? [];
  const moment = new Date(TIME.test(since) ? since : Date.now() - Number(amount) * (UNIT_MILLIS[unit] ?? 0));
  if (Number.isNaN(moment.getTime()) || isNoDay(since)) {
    throw new UsageError(`--${option} must be a time such as 2026-01-31T12:00Z, or 30m, 24h or 7d.`);
  }
  return moment;
}

/** True for a day that does not exist. JavaScript reads the 30th of February as the 2nd of March. */
function isNoDay(since: string): boolean {
  const [day] = since.split('T');
  return TIME.test(since) && new Date(`${day}`).toISOString().slice(0, 10) !== day;
}

/** They are held in memory. */
const MAX_EVENTS = 100_000;

function presentEvent(event: AuditEvent): Line {
  const { at, act, outcome, reason, accountId, emailDigest, ip, userAgent, channel, requestId } = event;
  // Events from earlier versions lack these fields.
  const { byAccountId = null, tokenId = null, revoked = null, operator = null, service = null } = event;
  const { systemUser = null, count = null, lastAt = null } = event;
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
    `by ${channel}${operator === null ? '' : ` (${operatorOf(event)})`}${ip && ` from ${ip}`}`,
    `request ${requestId}`,
    ...(userAgent === null ? [] : [userAgent]),
  ].join('  ');
  const json = { at, act, outcome, reason, accountId, byAccountId, tokenId, revoked, emailDigest };
  const from = { ip, userAgent, channel, operator, systemUser, service, requestId };
  return { text, json: { ...json, ...from, count, lastAt } };
}

/** The name that was given with `--as`, and the system user. Events of earlier versions have only the user. */
const operatorOf = ({ operator, systemUser }: AuditEvent): string =>
  (systemUser ?? operator) === operator ? `${operator}` : `${operator}, system user ${systemUser}`;
