import type { MailboxQuota, QuotaShare } from '../../mail/mail-attempts.ts';
import type { Draft } from '../../mail/message.ts';
import { emailKey, splitEmail } from '../../stores/email-key.ts';
import { TooManyAttemptsError } from '../../system/errors.ts';
import type { AttemptCounter, CreateCounter } from './attempt-counters.ts';
import { countOnce, digest } from './throttle-limits.ts';

/** Mails in an hour: 20 for each mailbox, in three separate shares: using one up leaves the others. */
const LINKS_PER_HOUR = 7;
const NOTICES_PER_HOUR = 7;
const TAGGED_PER_HOUR = 6;

/** Mails whose number strangers can increase by asking for them. */
const LINKS: ReadonlySet<Draft['kind']> = new Set(['password reset', 'e-mail proof', 'e-mail change']);

/** Begins a tag: mails to `ada+clinic@example.org` go to the mailbox `ada@example.org`. */
const TAG = '+';

/**
 * Limits the mails to one mailbox. Links and notices to the e-mail without a tag have a share each. All e-mails with tags have the
 * third, because anybody can register any number of those of a stranger's mailbox, and order mails to them. They must not use up
 * the mails to an e-mail with a tag that is proven: it has shares of its own.
 */
export class MailboxLimits implements MailboxQuota {
  readonly #links: AttemptCounter;
  readonly #notices: AttemptCounter;
  readonly #tagged: AttemptCounter;

  /** @param createCounter where the counts are kept */
  constructor(createCounter: CreateCounter) {
    this.#links = createCounter('mailbox-links', { hour: LINKS_PER_HOUR });
    this.#notices = createCounter('mailbox-notices', { hour: NOTICES_PER_HOUR });
    this.#tagged = createCounter('mailbox-tagged', { hour: TAGGED_PER_HOUR });
  }

  /** See {@link MailboxQuota}. */
  async take({
    kind,
    to,
    isProven,
  }: Omit<Draft, 'write'>): Promise<QuotaShare | { retryAfterMillis: number }> {
    const { local, domain } = splitEmail(emailKey(to.address));
    const [mailbox = '', ...tags] = local.split(TAG);
    const untagged = LINKS.has(kind) ? this.#links : this.#notices;
    // A local part that begins with the mark has no mailbox without it.
    const isTagged = tags.length > 0 && mailbox !== '' && !isProven;
    const counter = isTagged ? this.#tagged : untagged;
    try {
      return await countOnce([{ counter, key: digest(`${isTagged ? mailbox : local}@${domain}`) }]);
    } catch (error) {
      if (error instanceof TooManyAttemptsError) {
        return { retryAfterMillis: error.retryAfterSeconds * 1000 };
      }
      throw error;
    }
  }
}
