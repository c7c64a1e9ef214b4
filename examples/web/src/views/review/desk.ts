import type { AuthError, ReviewDecision, ReviewedDoctor } from '@auth-gateway/client';
import { button, element } from '../../element.ts';
import { announce } from '../../navigation.ts';
import { sessionProblems } from '../../session-problems.ts';
import { askDecision } from './decision-dialog.ts';
import { DECISIONS, decisionsFrom, STATUS_NAMES } from './decisions.ts';
import { doctorDetails } from './doctor-details.ts';
import { releaseDocuments } from './document-views.ts';
import { keepFocusFromFrames } from './frame-focus.ts';
import { nobody, queueItems, statusFilter } from './queue-list.ts';
import { ReviewQueue } from './review-queue.ts';
import { type Shortcuts, showHelp, useShortcuts } from './shortcuts.ts';

/** The desk of reviewers: the queue of a status, and one doctor of it with documents and decisions. */
export function reviewDeskView(): HTMLElement[] {
  const desk = new ReviewDesk();
  desk.open();
  addEventListener('hashchange', releaseDocuments, { once: true });
  return desk.elements;
}

class ReviewDesk {
  readonly #queue = new ReviewQueue();
  readonly #alert = element('div', { class: 'problems', role: 'alert' });
  readonly #list = element('ol', { class: 'queue' });
  readonly #details = element('section', { class: 'details' });
  readonly #more = button('Show more', { hidden: true }, () => this.#read(() => this.#queue.readMore()));
  readonly #fail = sessionProblems(this.#alert);
  readonly #shortcuts: Shortcuts = {
    j: { text: 'Next doctor', act: () => this.#step(1) },
    k: { text: 'Doctor before', act: () => this.#step(-1) },
    a: { text: 'Approve', act: () => this.#ask('APPROVE') },
    r: { text: 'Reject, with a reason', act: () => this.#ask('REJECT') },
    s: { text: 'Suspend, with a reason', act: () => this.#ask('SUSPEND') },
  };
  /** The doctor whose details are on the page; null before the first answer. */
  #shown: ReviewedDoctor | undefined | null = null;

  get elements(): HTMLElement[] {
    const filter = statusFilter((status) => this.#read(() => this.#queue.read(status)));
    const keys = button('Keyboard shortcuts', { class: 'quiet' }, () => showHelp(this.#shortcuts));
    const tools = element('div', { class: 'tools' }, filter, keys);
    const waiting = element('nav', { 'aria-label': 'Doctors', class: 'waiting' }, this.#list, this.#more);
    return [this.#alert, element('div', { class: 'desk' }, tools, waiting, this.#details)];
  }

  open(): void {
    useShortcuts(this.#shortcuts);
    keepFocusFromFrames();
    this.#details.replaceChildren(element('p', {}, 'Loading…'));
    this.#read(() => this.#queue.read());
  }

  /** Reads doctors, and shows them or the error. @returns whether they were read */
  async #read(act: () => ReturnType<ReviewQueue['read']>): Promise<boolean> {
    const result = await act();
    if (!result.ok) {
      this.#fail(result.error);
      return false;
    }
    this.#alert.replaceChildren();
    this.#show();
    return true;
  }

  #show(): void {
    const { selected } = this.#queue;
    this.#list.replaceChildren(...queueItems(this.#queue, (doctor) => this.#pick(doctor)));
    this.#more.hidden = !this.#queue.hasMore;
    // The documents of a doctor who is already shown would be loaded again.
    if (selected === this.#shown) {
      return;
    }
    this.#shown = selected;
    releaseDocuments();
    const content = selected
      ? doctorDetails(selected, (decision) => this.#ask(decision))
      : nobody(this.#queue);
    this.#details.replaceChildren(...content);
  }

  /** Shows what is selected now, and goes there: what had the focus may be gone. */
  #goToSelected(notice = ''): void {
    this.#show();
    this.#details.querySelector('h2')?.focus();
    announce(notice);
  }

  #pick(doctor: ReviewedDoctor): void {
    this.#queue.select(doctor);
    this.#goToSelected();
  }

  #step(by: 1 | -1): void {
    if (this.#queue.step(by)) {
      this.#goToSelected();
    }
  }

  #ask(decision: ReviewDecision): void {
    const doctor = this.#queue.selected;
    if (!doctor || !decisionsFrom(doctor.profile.verification.status).includes(decision)) {
      return;
    }
    askDecision({
      doctor,
      decision,
      send: (reason) => this.#queue.decide(doctor, { decision, reason }),
      done: () => this.#goToSelected(`${doctor.account.name} is ${DECISIONS[decision].done}.`),
      handles: (error) => this.#handles(error, doctor),
    });
  }

  #handles(error: AuthError<string>, doctor: ReviewedDoctor): boolean {
    if (isOutdated(error)) {
      this.#readAgain(doctor);
      return true;
    }
    if (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN') {
      this.#fail(error);
      return true;
    }
    return false;
  }

  /** Reads the queue again after somebody else was faster, and says what has happened. */
  async #readAgain({ account: { id, name } }: ReviewedDoctor): Promise<void> {
    if (await this.#read(() => this.#queue.read())) {
      const isThere = this.#queue.selected?.account.id === id;
      const status = STATUS_NAMES[this.#queue.status].toLowerCase();
      this.#goToSelected(
        isThere
          ? `${name} has changed since you opened it, so nothing was decided. This is the present state.`
          : `${name} is no longer ${status}: somebody else was faster, or the account was closed. Nothing was decided by you.`,
      );
    }
  }
}

/** Whether the doctor is not any more as the page shows it: decided on, changed or gone. */
const isOutdated = (error: AuthError<string>): boolean =>
  error.code === 'NOT_FOUND' ||
  ('fields' in error && Boolean(error.fields.revision ?? error.fields.decision));
